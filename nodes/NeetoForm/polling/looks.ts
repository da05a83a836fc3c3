/** Reads a form's submissions upward from a time, without losing one to deletions, equal times or a service that ignores parameters. */

import { readAll } from '../api/completeList';
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
export interface Expected {
  /** How many of these rows are new. */
  newOf: (rows: Row[]) => number;
  /** Whether to go on reading by number when so many new ones were found. */
  mayContinue: (found: number) => boolean;
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
export async function* look(
  readPage: ReadPage,
  start: number,
  { newOf, mayContinue }: Expected,
): AsyncGenerator<Seen, undefined> {
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
    const isAsked = first >= from && (await isInOrder(readPage, query, page));
    if (isAsked && secondOf(last) > from) {
      yield { rows, until: last, serverTime };
      from = secondOf(last);
      continue;
    }
    const end = isAsked ? from + SECOND : Infinity;
    // Without an order, the oldest may come last.
    const isEnough = (found: Row[]) => !mayContinue(isAsked ? newOf(found) : 0);
    const { results, isComplete } = await readByNumber(readPage, from, end, isEnough);
    yield { rows: results, until: isComplete ? end : from, serverTime };
    if (!isComplete && !isEnough(results)) {
      throw new UnexpectedResponse(
        'the submissions cannot be read completely, because the pages contradict each other',
      );
    }
    if (!isComplete || end === Infinity) return undefined;
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

/** Reads all rows from a time on by page number. @param end ms, exclusive; Infinity for a service that ignores what it is asked */
async function readByNumber(
  readPage: ReadPage,
  after: number,
  end: number,
  isEnough: (rows: Row[]) => boolean,
): Promise<{ results: Row[]; isComplete: boolean }> {
  const order = 'asc';
  const rows: Row[] = [];
  const countFrom = async (ms: number) => await readPage({ after: ms, order, page: 1 });
  return await readAll(
    {
      readPage: async (page, signal) => await readPage({ after, order, page }, signal),
      pick: (row) => {
        rows.push(row);
        return row;
      },
      order,
      range: end === Infinity ? undefined : { after, before: end, countFrom },
    },
    { mayContinue: () => !isEnough(rows) },
  );
}
