import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { readPart, START, type EditorList, type Position } from './readList';

/** Ways to name a row, from the plain name to one that no other row has. */
export type Namings<T> = ReadonlyArray<(row: T) => string>;

/**
 * Names each row by the first of its namings that no other row shares.
 *
 * @param taken names that are shown already
 * @returns one name per row, in the order of the rows
 */
export function distinctNames<T>(rows: T[], namings: Namings<T>, taken: ReadonlySet<string> = new Set()): string[] {
  const shared = namings.map((naming) => {
    const counts = new Map<string, number>();
    for (const name of rows.map(naming)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return (name: string) => taken.has(name) || (counts.get(name) ?? 0) > 1;
  });
  return rows.map((row) => {
    const names = namings.map((naming) => naming(row));
    return names.find((name, index) => shared[index]?.(name) === false) ?? names.at(-1) ?? '';
  });
}

/** A list that is searched and scrolled in the editor. */
export interface SearchableList {
  list: EditorList;
  matches: (row: Row) => boolean;
  namings: Namings<Row>;
  /** The page of a row, which n8n links to. */
  urlOf?: (row: Row) => string | undefined;
}

/**
 * Reads the next part of a list that is scrolled in the editor.
 *
 * @param token of the part before; it carries the position, and the names that are shown already, one per line
 * @throws NodeApiError when the service gives no usable answer
 */
export async function scrollList(
  context: ILoadOptionsFunctions,
  { list, matches, namings, urlOf }: SearchableList,
  token?: string,
): Promise<INodeListSearchResult> {
  const { position, shown } = parseToken(token);
  const { rows, next } = await readPart(context, list, matches, position);
  const names = distinctNames(rows, namings, new Set(shown));
  const results = rows.map((row, index): INodeListSearchItems => {
    const url = urlOf?.(row);
    return { name: names[index] ?? row.id, value: row.id, ...(url !== undefined && { url }) };
  });
  return { results, paginationToken: next && tokenOf(next, [...shown, ...names]) };
}

/** `Name (detail, detail)`, or the name alone when there is no detail. */
export function withDetails(name: string, details: string[]): string {
  const said = details.filter((detail) => detail !== '').join(', ');
  return said === '' ? name : `${name} (${said})`;
}

function tokenOf({ page, firstOfPrevious }: Position, shown: string[]): string {
  return [page, firstOfPrevious ?? '', ...shown].join('\n');
}

function parseToken(token: string | undefined): { position: Position; shown: string[] } {
  if (token === undefined) return { position: START, shown: [] };
  const [page, firstOfPrevious, ...shown] = token.split('\n');
  return { position: { page: Number(page), firstOfPrevious }, shown };
}
