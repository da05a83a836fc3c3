/** Looks at a form's submissions upward from a time, without losing one to deletions or equal times. */

import { PAGE_SIZE } from '../api/endpoints';
import { UnexpectedResponse } from '../api/errors';
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
  let [after, page] = [secondOf(start), 1];
  let shown = new Set<string>();
  for (;;) {
    const { rows, total } = await readPage({ after, order: 'asc', page });
    const isNothingNew = rows.every(({ id }) => shown.has(id));
    if (page > 1 && rows.length === shown.size && isNothingNew)
      throw new UnexpectedResponse("the list of submissions ignores 'page'");
    for (const { id } of rows) shown.add(id);
    // The total of a full page may count the page alone; more rows than a page holds are the whole list.
    const isWhole = !isNothingNew && rows.length !== PAGE_SIZE && shown.size >= total;
    if (isWhole || (page === 1 && rows.length === 0)) {
      yield { rows, until: Infinity };
      return;
    }
    const last = isNothingNew ? after + SECOND : (rows.at(-1)?.createdMs ?? after);
    yield { rows, until: Math.max(after, last) };
    if (secondOf(last) > after) [after, page, shown] = [secondOf(last), 1, new Set<string>()];
    else page++;
  }
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
