/** Reads a form's submissions upward from a time, without losing one to deletions, equal times or a service that ignores parameters. */

import { readAll, type List } from '../api/completeList';
import { PAGE_SIZE } from '../api/endpoints';
import { UnexpectedResponse } from '../api/errors';
import { isLast, isSorted } from '../api/pages';
import type { Page, Row } from '../api/parse';
import { SECOND, secondOf } from './batch';
import type { PageQuery } from './session';

/** Requests a page of a form's submissions. */
export type ReadPage = (query: PageQuery, signal?: AbortSignal) => Promise<Page>;

/** The next rows of a look. */
export interface Seen {
  rows: Row[];
  /** ms: this look has shown everything created before it. Infinity at the end of the list. */
  until: number;
  /** ms; undefined when the service does not tell. */
  serverTime?: number;
}

/** What a look has to know of the poll. */
export interface LookLimits {
  isNew: (row: Row) => boolean;
  /** New submissions that the poll emits at most: where reading goes by number, a few more are enough. */
  quota: number;
  isTimeUp: () => boolean;
}

/**
 * Looks at the submissions created from a time on, page by page.
 *
 * It goes by value: each request begins at the last row's own second. By page number a row would be skipped whenever another is deleted
 * between two requests (12:00 A, B; 12:01 C; A is deleted; page 2 begins behind C). Only what cannot be read so is read by number: a
 * second that fills a page, and a service that ignores the order or the lower bound.
 *
 * @param start ms, inclusive
 * @throws what `readPage` throws; UnexpectedResponse when the pages contradict each other
 */
export async function* look(readPage: ReadPage, start: number, limits: LookLimits): AsyncGenerator<Seen, undefined> {
  let from = secondOf(start);
  for (;;) {
    const query = { after: from, order: 'asc', page: 1 } as const;
    const page = await readPage(query);
    const { rows, serverTime } = page;
    if (await isWhole(readPage, query, page)) {
      yield { rows, until: Infinity, serverTime };
      return undefined;
    }
    const [first, last] = [rows[0]?.createdMs ?? NaN, rows.at(-1)?.createdMs ?? NaN];
    const isHonored = first >= from && (await isInOrder(readPage, query, page));
    if (isHonored && secondOf(last) > from) {
      yield { rows, until: last, serverTime };
      from = secondOf(last);
      continue;
    }
    // Without an order, the oldest may come last.
    const [end, limit] = isHonored ? [from + SECOND, limits.quota + 1] : [Infinity, Infinity];
    const { results, isComplete } = await readByNumber(readPage, [from, end], limit, limits);
    const isEnough = results.length >= limit;
    yield { rows: results, until: isComplete && !isEnough ? end : from, serverTime };
    if (!isComplete && !limits.isTimeUp()) {
      throw new UnexpectedResponse(
        'the submissions cannot be read completely, because the pages contradict each other',
      );
    }
    if (!isComplete || isEnough || end === Infinity) return undefined;
    from = end;
  }
}

/**
 * Whether a first page shows all that it was asked for. A full page never does, because its totals may count the page only. Where neither
 * the totals nor its length tell, the second page does.
 */
export async function isWhole(readPage: ReadPage, query: PageQuery, page: Page): Promise<boolean> {
  const { rows, total = rows.length } = page;
  if (rows.length === 0 || isLast(page)) return true;
  if (rows.length >= PAGE_SIZE || total > rows.length) return false;
  const next = await readPage({ ...query, page: 2 });
  return next.rows.length === 0;
}

/**
 * Whether a first page is in the order that was asked for. Rows of one time do not show it: then it is, when the other order begins
 * with another time. Where all rows have one time, the answer is no.
 */
export async function isInOrder(readPage: ReadPage, query: PageQuery, { rows }: Page): Promise<boolean> {
  const times = rows.map(({ createdMs }) => createdMs);
  if (times.length < 2 || times[0] !== times.at(-1)) return isSorted(times, query.order);
  const opposite = await readPage({ ...query, order: query.order === 'asc' ? 'desc' : 'asc' });
  const [begin = NaN, end = begin] = [times[0], opposite.rows[0]?.createdMs];
  return begin !== end && isSorted([begin, end], query.order);
}

/**
 * Reads the new rows between two times by page number.
 *
 * @param between ms, the first inclusive; up to Infinity for a service that ignores what it is asked
 * @param limit rows that are enough
 */
async function readByNumber(
  readPage: ReadPage,
  [after, before]: [after: number, before: number],
  limit: number,
  { isNew, isTimeUp }: LookLimits,
): Promise<{ results: Row[]; isComplete: boolean }> {
  const order = 'asc';
  const countFrom = async (ms: number) => await readPage({ after: ms, order, page: 1 });
  const list: List<Row> = {
    readPage: async (page, signal) => await readPage({ after, order, page }, signal),
    pick: (row) => (isNew(row) ? row : undefined),
    // A service that ignores what it is asked ignores the order.
    ...(before < Infinity && { order, range: { after, before, countFrom } }),
  };
  return await readAll(list, { limit, mayContinue: () => !isTimeUp() });
}
