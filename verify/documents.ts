import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { codeBlocksOf, codeSpansOf } from './markdown.ts';

/** A Markdown file of the repository. */
export interface Document {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** What is installed, built or kept for later is not the repository's own. */
const FOREIGN = /(?:^|[\\/])(?:node_modules|dist|coverage|\.cache)$/;

/** Programs that the documents tell to run; with an option alone it is the option that is spoken of. */
const COMMAND = /^(?:npm|npx|node|git|bash|n8n) (?!-)/;

export function documentsIn(folder: string): Document[] {
  const paths = globSync('**/*.md', { cwd: folder, exclude: (path) => FOREIGN.test(path) }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return paths.sort().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/** The commands that a document tells to run, in its order, each once. */
export function commandsOf({ text }: Document): string[] {
  const lines = [...codeBlocksOf(text).flatMap((block) => block.lines), ...codeSpansOf(text)];
  const commands = lines.map((line) => line.replace(/\s+#.*$/, '').trim()).filter((line) => COMMAND.test(line));
  return [...new Set(commands)].sort((a, b) => text.indexOf(a) - text.indexOf(b));
}
