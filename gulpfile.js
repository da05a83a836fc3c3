const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { dest, series, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

/** Indents by tabs: the four blanks of tsc take 1 % of the package. Lint refuses template literals that this would change. */
const indent = () =>
  src('dist/**/*.js')
    .pipe(
      new Transform({
        objectMode: true,
        transform(file, _encoding, done) {
          const code = String(file.contents).replace(/^(?: {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4));
          file.contents = Buffer.from(code);
          done(null, file);
        },
      }),
    )
    .pipe(dest('dist'));

// The nodes refer to their icons as `file:../../icons/…`; the codex files and output schemas belong beside them.
const copy = () =>
  src(['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], {
    base: '.',
    encoding: false,
    allowEmpty: true,
  }).pipe(dest('dist'));

module.exports = { clean, assets: series(indent, copy) };
