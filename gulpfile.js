const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { dest, series, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

// The nodes refer to their icons as `file:../../icons/…`; the codex files and output schemas belong beside them.
const assets = () =>
  src(['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], {
    base: '.',
    encoding: false,
    allowEmpty: true,
  }).pipe(dest('dist'));

// Keeps the package small: the compiled code needs no indentation, as it needs no comments. No text in it spans several lines.
const compact = () => src('dist/**/*.js').pipe(withoutIndentation()).pipe(dest('dist'));

function withoutIndentation() {
  return new Transform({
    objectMode: true,
    transform(file, _encoding, done) {
      file.contents = Buffer.from(file.contents.toString().replace(/^ +/gm, ''));
      done(null, file);
    },
  });
}

module.exports = { clean, assets, compact, default: series(clean, assets) };
