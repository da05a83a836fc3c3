import type { IPollFunctions } from 'n8n-workflow';
import { readAll } from '../api/completeList';
import { isLast } from '../api/pages';
import { UnexpectedResponse } from '../api/errors';
import type { PollBatch } from './cursor';
import { formSubject, type PollSession } from './session';

const SECOND = 1_000;

/** A service that never shows the same rows twice cannot be read; one that is merely busy needs two or three passes. */
const MAX_PASSES = 20;

/** What is needed of a session to read submissions. */
export interface ReadingSession extends Pick<PollSession, 'isTimeUp' | 'readSubmissions' | 'parse'> {
  context: Pick<IPollFunctions, 'getNode'>;
}

/**
 * Reads a form's submissions upward from a watermark until the list ends, the batch is full or the time is up.
 *
 * It goes by value: each request begins at the last row's own second. Going by page number would skip a row whenever another is
 * deleted between two requests. Only a second that fills a page is read by page number, until it is complete.
 *
 * @param watermark ms
 * @returns whether the end of the list was reached
 * @throws NodeApiError
 */
export async function readSince(
  session: ReadingSession,
  formId: string,
  batch: PollBatch,
  watermark: number,
): Promise<boolean> {
  let from = secondOf(watermark);
  while (!session.isTimeUp) {
    const page = await session.readSubmissions(formId, { after: from, order: 'asc', page: 1 });
    batch.noteServerTime(page.serverTime);
    const last = page.rows.at(-1);
    if (last === undefined) return true;
    const lastMs = last.createdMs;
    batch.add(page.rows);
    batch.markRead(lastMs);
    if (batch.isFull) return false;
    if (isLast(page)) return true;
    const [first = last] = page.rows;
    const ignoresBound = first.createdMs < from;
    if (!ignoresBound && secondOf(lastMs) > from) {
      from = secondOf(lastMs);
      continue;
    }
    const end = ignoresBound ? undefined : from + SECOND;
    if (!(await readCompletely(session, formId, batch, from, end))) return false;
    if (end === undefined) return true;
    from = end;
  }
  return false;
}

/**
 * Reads the rows from a second on by page number.
 *
 * @param end ms, exclusive; undefined for a service that ignores the bound, whose whole list is read
 * @returns whether all of them are in the batch
 */
async function readCompletely(
  session: ReadingSession,
  formId: string,
  batch: PollBatch,
  from: number,
  end: number | undefined,
): Promise<boolean> {
  let newest = from;
  const readPage = async (page: number, signal?: AbortSignal) =>
    await session.readSubmissions(formId, { after: from, order: 'asc', page }, signal);
  const countFrom = async (ms: number) => await session.readSubmissions(formId, { after: ms, order: 'asc', page: 1 });
  const sizeBefore = batch.size;
  return await session.parse(formSubject(formId), async () => {
    const { isComplete } = await readAll(
      {
        readPage,
        pick: (row) => {
          newest = Math.max(newest, row.createdMs);
          batch.add([row]);
        },
        range: end === undefined ? undefined : { after: from, before: end, order: 'asc', countFrom },
      },
      { maxPasses: MAX_PASSES, mayContinue: () => !batch.isFull && !session.isTimeUp },
    );
    if (isComplete) batch.markRead(end ?? newest);
    else if (!batch.isFull && !session.isTimeUp && batch.size === sizeBefore) {
      throw new UnexpectedResponse(
        'the submissions of one second cannot be read completely, because the pages contradict each other',
      );
    }
    return isComplete;
  });
}

/** The whole second of a time, rounded down; ms. */
function secondOf(ms: number): number {
  return Math.floor(ms / SECOND) * SECOND;
}
