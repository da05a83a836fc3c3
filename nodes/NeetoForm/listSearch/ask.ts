import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { CREDENTIAL } from '../api/credential';
import { PAGE_SIZE } from '../api/endpoints';
import type { Subject } from '../api/errors';
import { parsePage } from '../api/parse';
import { request } from '../api/request';
import { expectShape } from '../api/shape';
import type { Page, Row } from '../api/types';
import { workspaceUrl } from '../api/workspaceUrl';

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

/** Where a part begins: its page, how many rows came before, and the first row of the page before. */
interface Place {
  page: number;
  seen: number;
  first?: string;
}

/**
 * One part of a searchable list: a page of the service's, or, while searching, as many pages as it takes to find something. The list
 * ends when all rows the service speaks of were seen, at an empty page, or when a page comes again.
 *
 * @param token where to begin, from the part before
 * @throws NodeApiError
 */
export async function askForPart(
  context: ILoadOptionsFunctions,
  list: List,
  matches: (row: Row) => boolean,
  token?: string,
): Promise<ListPart> {
  let place = placeOf(token);
  for (let pages = 1; ; pages++) {
    const { rows, total } = await askForPage(context, list, place.page);
    const first = rows[0]?.id;
    if (first === undefined || first === place.first) return { rows: [] };
    const found = rows.filter(matches);
    place = { page: place.page + 1, seen: place.seen + rows.length, first };
    if (total !== undefined && place.seen >= total) return { rows: found };
    if (found.length > 0 || pages === PAGES_AT_ONCE) return { rows: found, paginationToken: tokenOf(place) };
  }
}

function tokenOf({ page, seen, first }: Place): string {
  return [page, seen, first].join(' ');
}

function placeOf(token = '1 0'): Place {
  const [page, seen, first] = token.split(' ');
  return { page: Number(page), seen: Number(seen), first };
}

async function askForPage(
  context: ILoadOptionsFunctions,
  { path, key, pageParameter, query, subject }: List,
  page: number,
): Promise<Page> {
  const options = {
    method: 'GET' as const,
    baseURL: workspaceUrl(await context.getCredentials(CREDENTIAL)),
    url: path,
    qs: { ...query, [pageParameter]: page, page_size: PAGE_SIZE },
    timeout: PATIENCE_MS,
  };
  return await expectShape(context.getNode(), subject, async () =>
    parsePage(await request(context, options, { subject, limitMs: PATIENCE_MS }), key),
  );
}
