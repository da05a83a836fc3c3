import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { readCompletely } from '../api/completeList';
import { pageQuery, type ListKey } from '../api/endpoints';
import type { Subject } from '../api/messages';
import { isLast } from '../api/pages';
import { parsePage, type Page, type Row } from '../api/parse';
import { request, type ApiResponse } from '../api/request';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { nameDistinctly, type Namings } from './choices';

/** ms: a user is waiting in front of an open list. */
const TIME_LIMIT_MS = 10_000;

/** Pages searched for matches before the list is shown; scrolling continues from there. */
const MAX_PAGES_PER_PART = 10;

/** A list of the service that the editor offers for a choice. */
export interface EditorList {
  path: string;
  key: ListKey;
  query?: IDataObject;
  subject: Subject;
  namings: Namings<Row>;
  /** The page of a row, which n8n links to. */
  urlOf?: (row: Row) => string | undefined;
}

/** Sends a read request to a path below the workspace's address. */
type Get = <T>(path: string, query: IDataObject, parse: (response: ApiResponse) => T) => Promise<T>;

/**
 * Reads the next part of a list that is scrolled in the editor: a page of the service's, or as many pages as it takes to find a match,
 * at most ten. The list ends with what `isLast` knows as its last page, at an empty page, or when a page repeats.
 *
 * @param token of the part before, one entry per line: the next page, the first row of the page before it, and the names that are
 *   shown already
 * @throws NodeApiError when the service gives no usable answer
 */
export async function scrollList(
  context: ILoadOptionsFunctions,
  list: EditorList,
  matches: (row: Row) => boolean,
  token = '1',
): Promise<INodeListSearchResult> {
  const [start, lastFirst, ...shown] = token.split('\n');
  const get = await editorRequest(context, list.subject);
  let firstOfPrevious = lastFirst;
  for (let number = Number(start), pages = 1; ; number++, pages++) {
    const page = await readPage(get, list, number);
    const first = page.rows[0]?.id;
    if (first === undefined || first === firstOfPrevious) return { results: [] };
    firstOfPrevious = first;
    const isEnd = isLast(page, number, page.pageSize);
    const found = page.rows.filter(matches);
    if (found.length === 0 && !isEnd && pages < MAX_PAGES_PER_PART) continue;
    const named = nameDistinctly(found, list.namings, new Set(shown));
    const names = named.map(({ name }) => name);
    const results = named.map(({ row, name }) => {
      const url = list.urlOf?.(row);
      return { name, value: row.id, ...(url !== undefined && { url }) };
    });
    return { results, paginationToken: isEnd ? undefined : [number + 1, first, ...shown, ...names].join('\n') };
  }
}

/**
 * Reads a whole list, for fields that n8n fills in one piece.
 *
 * @returns every row, each id once
 * @throws NodeApiError when the service gives no usable answer
 */
export async function readWhole(context: ILoadOptionsFunctions, list: EditorList): Promise<Row[]> {
  const get = await editorRequest(context, list.subject);
  return await readCompletely({ readPage: async (page) => await readPage(get, list, page), pick: (row) => row });
}

/** Sends requests for the editor: they throw NodeApiError when there is no usable response within ten seconds. */
export async function editorRequest(context: ILoadOptionsFunctions, subject: Subject): Promise<Get> {
  const baseURL = workspaceUrl(await context.getCredentials(CREDENTIAL));
  const limits = { timeoutMs: TIME_LIMIT_MS, retryLimitMs: TIME_LIMIT_MS };
  return async (url, qs, parse) =>
    await request(context, { method: 'GET', baseURL, url, qs }, { subject, ...limits }, parse);
}

async function readPage(get: Get, { path, key, query }: EditorList, page: number): Promise<Page> {
  return await get(path, { ...query, ...pageQuery(key, page) }, (response) => parsePage(response, key));
}
