/** Prints what the changelog says about a version: `node release/notes.ts 1.2.0`. It becomes the text of the GitHub release. */
import { readFileSync } from 'node:fs';

import { notesOf } from './changelog.ts';

console.log(notesOf(readFileSync('CHANGELOG.md', 'utf8'), process.argv[2] ?? ''));
