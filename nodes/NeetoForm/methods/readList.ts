import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { readCompletely } from '../api/completeList';
import { pageQuery, type ListKey } from '../api/endpoints';
import { expectShape } from '../api/errors';
import type { Subject } from '../api/messages';
import { isLast } from '../api/pages';
import { type Page, parsePage, type Row } from '../api/parse';
import { request, type ApiResponse } from '../api/request';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';

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
}

/** Where to continue: the next page, and the first row of the page before it. */
export interface Position {
  page: number;
  firstOfPrevious?: string;
}

/** The top of a list. */
export const START: Position = { page: 1 };

/** Rows that match, and where to continue; no `next` at the end of the list. */
export interface ListPart {
  rows: Row[];
  next?: Position;
}

/**
 * Reads one part of a list: a page of the service's, or as many pages as it takes to find a match, at most ten. The list ends with
 * what `isLast` knows as its last page, at an empty page, or when a page repeats.
 *
 * @throws NodeApiError when the service gives no usable answer
 */
export async function readPart(
  context: ILoadOptionsFunctions,
  list: EditorList,
  matches: (row: Row) => boolean,
  position: Position,
): Promise<ListPart> {
  let next = position;
  for (let pages = 1; ; pages++) {
    const page = await readPage(context, list, next.page);
    const { rows, pageSize } = page;
    const first = rows[0]?.id;
    if (first === undefined || first === next.firstOfPrevious) return { rows: [] };
    const found = rows.filter(matches);
    if (isLast(page, next.page, pageSize)) return { rows: found };
    next = { page: next.page + 1, firstOfPrevious: first };
    if (found.length > 0 || pages === MAX_PAGES_PER_PART) return { rows: found, next };
  }
}

/**
 * Reads a whole list, for fields that n8n fills in one piece.
 *
 * @returns every row, each id once
 * @throws NodeApiError when the service gives no usable answer
 */
export async function readWhole(context: ILoadOptionsFunctions, list: EditorList): Promise<Row[]> {
  const readNext = async (page: number) => await readPage(context, list, page);
  return await expectShape(
    context.getNode(),
    list.subject,
    async () => await readCompletely({ readPage: readNext, pick: (row) => row }),
  );
}

/**
 * Sends a read request of the editor.
 *
 * @param path below the workspace's address
 * @param parse reads the response; may throw UnexpectedResponse
 * @throws NodeApiError when the service gives no usable answer within ten seconds
 */
export async function readForEditor<T>(
  context: ILoadOptionsFunctions,
  subject: Subject,
  { path, query }: { path: string; query?: IDataObject },
  parse: (response: ApiResponse) => T,
): Promise<T> {
  const options = {
    method: 'GET' as const,
    baseURL: workspaceUrl(await context.getCredentials(CREDENTIAL)),
    url: path,
    qs: query,
  };
  return await expectShape(context.getNode(), subject, async () =>
    parse(await request(context, options, { subject, timeoutMs: TIME_LIMIT_MS, retryLimitMs: TIME_LIMIT_MS })),
  );
}

async function readPage(
  context: ILoadOptionsFunctions,
  { path, key, query, subject }: EditorList,
  page: number,
): Promise<Page> {
  const paged = { path, query: { ...query, ...pageQuery(key, page) } };
  return await readForEditor(context, subject, paged, (response) => parsePage(response, key));
}
