/** Reads Markdown as GitHub shows it: as much of it as checking documents takes. */

/** A table and what leads to it. */
export interface Table {
  /** The heading it stands under. */
  heading: string;
  /** The paragraph right before it; empty when there is none. */
  lead: string;
  /** Cells as they are written, row by row, without the head. */
  rows: string[][];
}

/** The text without its blocks of code. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^(```+|~~~+)[^]*?^\1[`~]*$/gm, '');
}

/** The blocks of code, line by line. */
export function codeBlocksOf(markdown: string): Array<{ language: string; lines: string[] }> {
  return [...markdown.matchAll(/^(```+|~~~+)([^\n]*)\n([^]*?)^\1[`~]*$/gm)].map(([, , language = '', code = '']) => ({
    language: language.trim(),
    lines: code.trimEnd().split('\n'),
  }));
}

/** What stands between backticks in the prose. */
export function codeSpansOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , code = '']) => code.trim());
}

export function headingsOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)].map(([, title = '']) => title.trim());
}

/** What a link can lead to after `#`: two headings of one name are told apart by a number. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const heading of headingsOf(markdown)) {
    const plain = anchorOf(heading);
    let anchor = plain;
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${plain}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The anchor that GitHub gives a heading: no marks but hyphens and underscores, and lower case. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-');
}

/** Where links and pictures lead, in Markdown's spelling and in HTML's. */
export function linksOf(markdown: string): string[] {
  const prose = proseOf(markdown).replace(/(`+).+?\1(?!`)/g, '');
  const inline = [...prose.matchAll(/\]\(<?([^\s)>]+)>?(?: +"[^"]*")?\)/g)];
  const references = [...prose.matchAll(/^ {0,3}\[[^\]]+\]: *<?([^\s>]+)/gm)];
  const html = [...prose.matchAll(/\b(?:href|src|srcset)="([^"\s]+)[^"]*"/g)];
  return [...inline, ...references, ...html].map(([, target = '']) => target);
}

export function tablesOf(markdown: string): Table[] {
  const tables: Table[] = [];
  let heading = '';
  let lead = '';
  for (const block of proseOf(markdown).split(/\n\s*\n/)) {
    const lines = block.trim().split('\n');
    heading = headingsOf(block).at(-1) ?? heading;
    const isTable = lines.length > 1 && /^\|?[ :]*-[ :|-]*$/.test(lines[1] ?? '') && lines[1]?.includes('|') === true;
    if (isTable) tables.push({ heading, lead, rows: lines.slice(2).map(cellsOf) });
    lead = isTable || lines[0]?.startsWith('#') === true ? '' : lines.join(' ');
  }
  return tables;
}

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}
