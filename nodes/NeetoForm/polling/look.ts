/** Looks at a form's submissions upward from a time, without losing one to deletions or equal times. */

import { UnexpectedResponse, unlessBehindEnd } from '../api/errors';
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
export async function* look(readPage: (query: PageQuery) => Promise<Page>, start: number): AsyncGenerator<Seen, void> {
  for (let after = secondOf(start); after < Infinity;) after = secondOf(yield* lookFrom(readPage, after));
}

/**
 * Looks at what was created in a second (ms) or later, until a page shows a later second or the end of the list. A page that is not full
 * is the end, whatever the total says: totals may count what the service does not show.
 *
 * @returns up to when everything was shown, ms
 */
async function* lookFrom(readPage: (query: PageQuery) => Promise<Page>, after: number): AsyncGenerator<Seen, number> {
  const { rows, pageSize } = await readPage({ after, order: 'asc', page: 1 });
  const shown = new Set<string>();
  let until = show(rows, shown, after, pageSize);
  yield { rows, until };
  for (let page = 2; secondOf(until) === after; page++) {
    const next = await unlessBehindEnd(readPage({ after, order: 'asc', page }));
    const more = next?.rows ?? [];
    const isNothingNew = more.every(({ id }) => shown.has(id));
    if (isNothingNew && more.length === shown.size)
      throw new UnexpectedResponse("the list of submissions ignores 'page'");
    until = isNothingNew ? after + SECOND : show(more, shown, after, pageSize);
    yield { rows: more, until };
  }
  return until;
}

/** Notes the rows of a page as shown. @returns ms: up to when everything was shown; Infinity when the page is not full */
function show(rows: Row[], shown: Set<string>, after: number, pageSize: number): number {
  for (const { id } of rows) shown.add(id);
  return rows.length === pageSize ? Math.max(after, rows.at(-1)?.createdMs ?? after) : Infinity;
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
