import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Markdown file of the repository. */
export interface MarkdownFile {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** A table. */
export interface Table {
  /** The paragraph right above it; empty when there is none. */
  introduction: string;
  /** The cells of each row, as written, without the header. */
  rows: string[][];
}

const ignored = /(?:^|[\\/])(?:node_modules|dist|coverage|reports|\.[\w-]+)$/;

/** Reads every Markdown file of a folder, and of `.github` in it. */
export function markdownFiles(folder: string): MarkdownFile[] {
  const paths = [
    ...globSync('**/*.md', { cwd: folder, exclude: (path) => ignored.test(path) }),
    ...globSync('.github/**/*.md', { cwd: folder }),
  ];
  return paths.sort().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/** The text without code blocks. */
function withoutCodeBlocks(markdown: string): string {
  return markdown.replace(/^(```+|~~~+)[^]*?^\1[`~]*$/gm, '');
}

/** The anchors of all headings, as GitHub makes them: a repeated heading gets a number. */
export function anchors(markdown: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of withoutCodeBlocks(markdown).matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const plain = heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = plain;
    for (let copy = 1; found.has(anchor); copy++) anchor = `${plain}-${copy}`;
    found.add(anchor);
  }
  return found;
}

/** The targets of all links and images, in Markdown and in HTML. */
export function links(markdown: string): string[] {
  const prose = withoutCodeBlocks(markdown).replace(/(`+).+?\1(?!`)/g, '');
  const inline = [...prose.matchAll(/\]\(<?([^\s)>]+)>?(?: +"[^"]*")?\)/g)];
  const references = [...prose.matchAll(/^ {0,3}\[[^\]]+\]: *<?([^\s>]+)/gm)];
  const html = [...prose.matchAll(/\b(?:href|src|srcset)="([^"\s]+)[^"]*"/g)];
  return [...inline, ...references, ...html].map(([, target = '']) => target);
}

/** All tables. */
export function tables(markdown: string): Table[] {
  const found: Table[] = [];
  let introduction = '';
  for (const block of withoutCodeBlocks(markdown).split(/\n\s*\n/)) {
    const lines = block.trim().split('\n');
    const isTable = lines.length > 1 && /^\|[ :|-]*-[ :|-]*$/.test(lines[1] ?? '');
    if (isTable) found.push({ introduction, rows: lines.slice(2).map(cells) });
    introduction = isTable || lines[0]?.startsWith('#') === true ? '' : lines.join(' ');
  }
  return found;
}

function cells(line: string): string[] {
  const trimmed = line.trim().replace(/^\||\|$/g, '');
  return trimmed.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
