/** Looks at a form's submissions upward from a time, without losing one to deletions or equal times. */

import { UnexpectedResponse } from '../api/errors';
import { unlessPastEnd } from '../api/list';
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
  let before = new Set<string>();
  for (let after = secondOf(start); after < Infinity;) {
    const first = await readPage({ after, order: 'asc', page: 1 });
    if (isLast(first, after, before)) {
      yield { rows: first.rows, until: Infinity };
      return;
    }
    before = new Set(first.rows.map(({ id }) => id));
    after = secondOf(yield* showSecond(readPage, after, first));
  }
}

type ReadPage = (query: PageQuery) => Promise<Page>;

/**
 * Whether no row follows a page that was requested from a time (ms) on: the second of the last row of the page before. Two pages end a list:
 * - One that is not full, and has all rows of its total.
 * - One that shows nothing new. A total that says otherwise may count rows that the service does not show. But where the page begins
 *   earlier than asked for, because the service rounds times, new rows may be on the next one.
 *
 * @param before the IDs of the page before
 */
function isLast({ rows, total, isFull }: Page, after: number, before: ReadonlySet<string>): boolean {
  if (!isFull && rows.length >= total) return true;
  const isRounded = rows.length < total && rows.some(({ createdMs }) => createdMs < after);
  return !isRounded && rows.every(({ id }) => before.has(id));
}

/**
 * Shows a page that begins at a time (ms). When one second fills it, shows the pages behind it, too, up to a later second.
 *
 * @returns ms: everything created before it was shown. Infinity at the end of the list.
 */
async function* showSecond(readPage: ReadPage, start: number, first: Page): AsyncGenerator<Seen, number> {
  const after = Math.max(start, secondOf(first.rows[0]?.createdMs ?? start));
  const shown = new Set<string>();
  for (let [page, number] = [first, 1]; ; number++) {
    const until = shownTo(page, first, after, shown);
    yield { rows: page.rows, until };
    if (secondOf(until) > after) return until;
    const next = readPage({ after, order: 'asc', page: number + 1 });
    // Only where the total says that nothing follows, a refused page is the end.
    page = (shown.size >= page.total ? await unlessPastEnd(next) : await next) ?? { ...page, rows: [] };
  }
}

/**
 * Notes the rows of a page as shown.
 *
 * @param first page 1 of the second
 * @returns ms: everything created before it was shown. Infinity at the end of the list.
 * @throws UnexpectedResponse when the page shows nothing new, but the total says that other rows must follow
 */
function shownTo({ rows, total }: Page, first: Page, after: number, shown: Set<string>): number {
  if (shown.size > 0 && rows.every(({ id }) => shown.has(id))) {
    if (shown.size >= first.total) return Infinity;
    if (rows.length === shown.size) throw new UnexpectedResponse("the list of submissions ignores 'page'");
    const isCutOff = first.isFull && rows.length === 0 && shown.size < total;
    if (isCutOff) throw new UnexpectedResponse('the list of submissions ends before its total');
    // Rows of this second were deleted, or came in another order: later ones may have moved to the page before.
    return after + SECOND;
  }
  for (const { id } of rows) shown.add(id);
  const isEnd = rows.length < first.rows.length && shown.size >= total;
  return isEnd ? Infinity : Math.max(after, rows.at(-1)?.createdMs ?? after);
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
