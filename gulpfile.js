const { rm } = require('node:fs/promises');
const { dest, series, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

// The nodes refer to their icons as `file:../../icons/…`; the codex files stand beside them.
const assets = () =>
  src(['icons/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false, allowEmpty: true }).pipe(dest('dist'));

module.exports = { clean, assets, default: series(clean, assets) };
