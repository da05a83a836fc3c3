/** Looks at a form's submissions upward from a time, without losing one to deletions or equal times. */

import { UnexpectedResponse } from '../api/errors';
import { unlessBehindEnd } from '../api/list';
import type { Page, Row } from '../api/parse';
import { SECOND, secondOf } from './cursor';

/** Which submissions a page shows. */
export interface PageQuery {
  /** ms, a whole second; undefined for all */
  after?: number;
  order: 'asc' | 'desc';
  /** 1, 2, 3 … */
  page: number;
  pageSize?: number;
  /** Whether the service may show its last page again instead, because the total says that none follows. */
  mayBeBehindEnd?: boolean;
}

/** The next rows of a look. */
export interface Seen {
  rows: Row[];
  /** ms: the look has shown everything created before it. Infinity at the end of the list. */
  until: number;
}

/**
 * Looks at the submissions created from a time on, page by page.
 *
 * It goes by value: each request begins at the last row's own second. By page number a row would be skipped whenever another is deleted
 * between two requests (12:00 A, B; 12:01 C; A is deleted; page 2 begins behind C). Only a second that fills a page goes on with page 2;
 * what that hides is found by the next look at the window.
 *
 * @param readPage requests a page
 * @param start ms, inclusive
 * @throws what `readPage` throws; UnexpectedResponse that names a parameter which the service ignores
 */
export async function* look(readPage: ReadPage, start: number): AsyncGenerator<Seen, void> {
  let pageSize = 0;
  for (let after = secondOf(start); after < Infinity;) {
    const first = await readPage({ after, order: 'asc', page: 1 });
    // A service that does not know 'page' says another page size with each response. The largest one counts.
    pageSize = Math.max(pageSize, first.pageSize);
    after = secondOf(yield* showSecond(readPage, after, { ...first, pageSize }));
  }
}

type ReadPage = (query: PageQuery) => Promise<Page>;

/**
 * Shows the page that begins at a second (ms). When the second fills that page, shows the pages behind it, up to a later second. A page
 * that is not full is the end of the list, whatever the total says: totals may count what the service does not show.
 *
 * @returns ms: everything created before it was shown. Infinity at the end of the list.
 */
async function* showSecond(readPage: ReadPage, after: number, first: Page): AsyncGenerator<Seen, number> {
  const shown = new Set<string>();
  for (let [page, number] = [first, 1]; ; number++) {
    const until = shownTo(page, first, after, shown);
    for (const { id } of page.rows) shown.add(id);
    yield { rows: page.rows, until };
    if (secondOf(until) > after) return until;
    const mayBeBehindEnd = shown.size >= page.total;
    const next = readPage({ after, order: 'asc', page: number + 1, mayBeBehindEnd });
    page = (mayBeBehindEnd ? await unlessBehindEnd(next) : await next) ?? { ...page, rows: [] };
  }
}

/**
 * Up to when everything was shown, ms.
 *
 * @param first page 1 of the second @param shown the rows that were shown before
 * @throws UnexpectedResponse when the page shows the same rows again, but the total says that others must follow
 */
function shownTo({ rows, total }: Page, first: Page, after: number, shown: ReadonlySet<string>): number {
  const isNothingNew = shown.size > 0 && rows.every(({ id }) => shown.has(id));
  if (!isNothingNew)
    return rows.length === first.pageSize ? Math.max(after, rows.at(-1)?.createdMs ?? after) : Infinity;
  if (rows.length < shown.size) return after + SECOND;
  if (shown.size >= total) return Infinity;
  throw new UnexpectedResponse("the list of submissions ignores 'page'");
}

/** A part of a form's submissions that is read upward. Times are in ms. */
export interface Part {
  start: number;
  /** Everything created before it was shown. Infinity at the end of the list. */
  shownTo: number;
  /** Where reading may stop: the start if nothing of it is due. */
  end: number;
  pages: AsyncGenerator<Seen, void>;
}

/** Whether something of a part is left. */
export function isOpen({ shownTo, end }: Part): boolean {
  return shownTo < end;
}
