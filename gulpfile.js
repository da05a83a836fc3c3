const { rm } = require('node:fs/promises');
const { dest, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

// The nodes refer to their icons as `file:../../icons/…`; the codex files and output schemas belong beside them.
const ASSETS = ['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];
const assets = () => src(ASSETS, { base: '.', encoding: false }).pipe(dest('dist'));

module.exports = { clean, assets };
