/** Reads a form's submissions upward from a time, without losing one to deletions, equal times or a service that ignores parameters. */

import { UnexpectedResponse } from '../api/errors';
import { readAll } from '../api/completeList';
import { isLast, isSorted } from '../api/pages';
import { PAGE_SIZE } from '../api/endpoints';
import type { Page, Row } from '../api/parse';
import { formSubject, type PageQuery, type PollSession } from './session';

const SECOND = 1_000;

/** What a look needs of a session. */
export type LookSession = Pick<PollSession, 'isTimeUp' | 'readSubmissions' | 'parse'>;

/** The next rows of a look. */
export interface Seen {
  rows: Row[];
  /** ms: this look has shown everything created before it. Infinity at the end of the list. */
  until: number;
  /** ms; undefined when the service does not tell. */
  serverTime?: number;
}

/**
 * Looks at the submissions created from a time on, page by page.
 *
 * It goes by value: each request begins at the last row's own second. By page number a row would be skipped whenever another is deleted
 * between two requests (12:00 A, B; 12:01 C; A is deleted; page 2 begins behind C). Only what cannot be read so is read by number: a
 * second that fills a page, and a service that ignores the order or the lower bound.
 *
 * @param start ms, inclusive
 * @param isEnough whether rows that are read by number are enough for this poll
 * @throws NodeApiError
 */
export async function* look(
  session: LookSession,
  formId: string,
  start: number,
  isEnough: (rows: Row[]) => boolean,
): AsyncGenerator<Seen, undefined> {
  const hasTime = () => !session.isTimeUp;
  let from = secondOf(start);
  while (hasTime()) {
    const query = { after: from, order: 'asc', page: 1 } as const;
    const page = await session.readSubmissions(formId, query);
    const { rows, serverTime } = page;
    const [first = NaN] = rows.map(({ createdMs }) => createdMs);
    const last = rows.at(-1)?.createdMs ?? NaN;
    if (await isWhole(session, formId, query, page)) {
      yield { rows, until: Infinity, serverTime };
      return undefined;
    }
    const isAsked = first >= from && (await isInOrder(session, formId, query, page));
    if (isAsked && secondOf(last) > from) {
      yield { rows, until: last, serverTime };
      from = secondOf(last);
      continue;
    }
    const end = isAsked ? from + SECOND : Infinity;
    const { results, isComplete } = await readByNumber(session, formId, from, end, isEnough);
    yield { rows: results, until: isComplete ? end : from, serverTime };
    if (!isComplete && hasTime() && !isEnough(results)) {
      throw new UnexpectedResponse(
        'the submissions cannot be read completely, because the pages contradict each other',
      );
    }
    if (!isComplete || end === Infinity) return undefined;
    from = end;
  }
  return undefined;
}

/** Whether a first page shows all that it was asked for. Where neither the totals nor its length tell, the second page does. */
export async function isWhole(
  session: LookSession,
  formId: string,
  query: Omit<PageQuery, 'page'>,
  page: Page,
): Promise<boolean> {
  const { rows, total = rows.length } = page;
  if (rows.length === 0 || isLast(page)) return true;
  if (rows.length >= PAGE_SIZE || total > rows.length) return false;
  const next = await session.readSubmissions(formId, { ...query, page: 2 });
  return next.rows.length === 0;
}

/** Whether a first page is in the order that was asked for. Equal times do not show the order: then the second page does. */
export async function isInOrder(
  session: LookSession,
  formId: string,
  query: Omit<PageQuery, 'page'>,
  { rows }: Page,
): Promise<boolean> {
  const times = rows.map(({ createdMs }) => createdMs);
  if (times.length < 2 || times[0] !== times.at(-1)) return isSorted(times, query.order);
  const next = await session.readSubmissions(formId, { ...query, page: 2 });
  return isSorted([...times, ...next.rows.map(({ createdMs }) => createdMs)], query.order);
}

/** Reads all rows from a time on by page number. @param end ms, exclusive; Infinity for a service that ignores what it is asked */
async function readByNumber(
  session: LookSession,
  formId: string,
  start: number,
  end: number,
  isEnough: (rows: Row[]) => boolean,
): Promise<{ results: Row[]; isComplete: boolean }> {
  const results: Row[] = [];
  const readPage = async (page: number, signal?: AbortSignal) =>
    await session.readSubmissions(formId, { after: start, order: 'asc', page }, signal);
  const countFrom = async (ms: number) => await session.readSubmissions(formId, { after: ms, order: 'asc', page: 1 });
  const pick = (row: Row) => void results.push(row);
  const range = end === Infinity ? undefined : { after: start, before: end, order: 'asc' as const, countFrom };
  const mayContinue = () => !session.isTimeUp && !isEnough(results);
  const { isComplete } = await session.parse(
    formSubject(formId),
    async () => await readAll({ readPage, pick, range }, { mayContinue }),
  );
  return { results, isComplete };
}

/** The whole second of a time, rounded down (ms): the service may keep finer times than it prints, or round what it receives. */
function secondOf(ms: number): number {
  return Math.floor(ms / SECOND) * SECOND;
}
