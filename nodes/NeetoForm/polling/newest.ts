/** Reads the newest page of a form's submissions, also from a service that ignores the order. */

import { readAll } from '../api/completeList';
import { PAGE_SIZE } from '../api/endpoints';
import type { Row } from '../api/parse';
import { isInOrder, isWhole, type ReadPage } from './looks';
import { tooSlow } from './messages';
import type { PollSession } from './session';

/** The newest submissions of a form. */
interface Newest {
  /** Newest first. */
  rows: Row[];
  /** Whether older ones may follow. */
  isFull: boolean;
  /** ms; undefined when the service does not tell. */
  serverTime?: number;
}

/**
 * @param pageSize rows, 2 or more: they show the order
 * @param deadline ends the request
 * @throws NodeApiError when they cannot be read, or not in the time of a poll
 */
export async function readNewest(
  session: PollSession,
  formId: string,
  pageSize = PAGE_SIZE,
  deadline?: AbortSignal,
): Promise<Newest> {
  const query = { order: 'desc', page: 1, pageSize } as const;
  const readPage: ReadPage = async (each, signal = deadline) => await session.readSubmissions(formId, each, signal);
  const page = await readPage(query);
  const { rows, serverTime } = page;
  // The totals of a full page may count the page only.
  const isFull = rows.length >= pageSize || !(await isWhole(readPage, query, page));
  const isNewest = !isFull || (await isInOrder(readPage, query, page));
  if (isNewest) return { rows, isFull, serverTime };
  const list = {
    readPage: async (number: number, signal?: AbortSignal) => await readPage({ order: 'desc', page: number }, signal),
    pick: (row: Row) => row,
  };
  const { results, isComplete } = await readAll(list, { mayContinue: () => !session.isTimeUp });
  if (!isComplete) throw tooSlow(session, "the form's newest submissions");
  return { rows: results.sort((a, b) => b.createdMs - a.createdMs).slice(0, PAGE_SIZE), isFull, serverTime };
}
