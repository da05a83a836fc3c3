import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import type { Row } from '../api/parse';
import { request } from '../api/request';
import { newLimits } from '../api/retry';
import type { Get } from '../api/service';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { hasWords, searchWords } from '../text';

const TIME_LIMIT_MS = 10_000;

export interface EditorList {
  readAll: (get: Get) => Promise<Row[]>;
  /** Ways to name a row, from the plainest to one that is unique. */
  namesOf: (row: Row) => string[];
  searchText: (row: Row) => string;
  /** n8n links a choice to this web page. */
  urlOf?: (row: Row) => string | undefined;
}

/** Reads a whole list. @throws NodeApiError or UserError when it cannot be read in time */
export async function readEditorList(context: ILoadOptionsFunctions, { readAll }: EditorList): Promise<Row[]> {
  return await readAll(await editorGet(context));
}

/**
 * Makes the choices of a list, each with a name of its own where one of its names is unique.
 *
 * @param filter words that must all be in the row's `searchText`
 */
export function toChoices(rows: Row[], { namesOf, searchText, urlOf }: EditorList, filter: string) {
  const words = searchWords(filter);
  const found = nameDistinctly(rows, namesOf).filter(({ row }) => hasWords(searchText(row), words));
  return found.map(({ row, name }) => ({ name, value: row.id, url: urlOf?.(row) }));
}

/** Makes a function that sends requests. They share one time limit. @throws UserError when the credential is wrong */
export async function editorGet(context: ILoadOptionsFunctions): Promise<Get> {
  const baseURL = workspaceUrl(await context.getCredentials(CREDENTIAL));
  const timeUp = systemClock.timeout(TIME_LIMIT_MS);
  const policy = { limits: newLimits(), giveUpAt: systemClock.now() + TIME_LIMIT_MS };
  return async ({ path: url, query: qs, subject, signal }, parse) => {
    const signals = [timeUp, signal];
    return await request(context, { method: 'GET', baseURL, url, qs }, { ...policy, subject, signals }, parse);
  };
}

/** Gives each row the first of its names that is not among the names of another row, or else its last name. */
export function nameDistinctly<T>(rows: T[], namesOf: (row: T) => string[]): Array<{ row: T; name: string }> {
  const named = rows.map((row) => ({ row, names: namesOf(row) }));
  const counts = new Map<string, number>();
  for (const { names } of named) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return named.map(({ row, names }) => ({
    row,
    name: names.find((name) => counts.get(name) === 1) ?? names.at(-1) ?? '',
  }));
}

/** Writes `Name (detail, detail)`, or the name alone if all details are blank. */
export function withDetails(name: string, details: string[]): string {
  const said = details.filter((detail) => detail !== '').join(', ');
  return said === '' ? name : `${name} (${said})`;
}
