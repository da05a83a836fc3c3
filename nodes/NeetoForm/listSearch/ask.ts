import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { CREDENTIAL } from '../api/credential';
import { PAGE_SIZE } from '../api/endpoints';
import type { Subject } from '../api/errors';
import { readPage } from '../api/read';
import { request } from '../api/request';
import { expectShape } from '../api/shape';
import type { Page, Row } from '../api/types';
import { workspaceUrl } from '../api/workspaceAddress';

/** A user is waiting in front of an open list. */
const PATIENCE_MS = 10_000;

/** Pages looked through for matches before the list is shown; scrolling goes on from there. */
const PAGES_AT_ONCE = 10;

export interface ListPart {
  rows: Row[];
  /** n8n gives it back to get the next part. */
  paginationToken?: string;
}

interface List {
  path: string;
  key: 'forms' | 'team_members';
  pageParameter: 'page' | 'page_number';
  query?: IDataObject;
  subject: Subject;
}

/**
 * One part of a searchable list: a page of the service's, or, while searching, as many pages as it takes to find something.
 *
 * @param token the page to begin with, from the part before
 * @throws NodeApiError
 */
export async function askForPart(context: ILoadOptionsFunctions, list: List, matches: (row: Row) => boolean, token?: string): Promise<ListPart> {
  const first = Number(token ?? 1);
  for (let page = first; ; page++) {
    const { rows, total = 0 } = await askForPage(context, list, page);
    const found = rows.filter(matches);
    const isLast = rows.length === 0 || page * PAGE_SIZE >= total;
    if (isLast) return { rows: found };
    if (found.length > 0 || page - first + 1 >= PAGES_AT_ONCE) return { rows: found, paginationToken: String(page + 1) };
  }
}

async function askForPage(context: ILoadOptionsFunctions, { path, key, pageParameter, query, subject }: List, page: number): Promise<Page> {
  const options = {
    method: 'GET' as const,
    baseURL: workspaceUrl(await context.getCredentials(CREDENTIAL)),
    url: path,
    qs: { ...query, [pageParameter]: page, page_size: PAGE_SIZE },
  };
  return await expectShape(context.getNode(), subject, async () => readPage(await request(context, options, { subject, limitMs: PATIENCE_MS }), key));
}
