import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { PollBatch, type Cursor } from './cursor';
import { readSince, type ReadingSession } from './readSince';
import { toPollError } from './session';

/** What one poll read of one form. */
export interface FormResult {
  formId: string;
  batch: PollBatch;
  /** Whether the end of the form's submissions was reached. */
  isComplete: boolean;
  /** Why the form could not be read; what is in the batch was read before. */
  failure?: NodeApiError | NodeOperationError;
}

/**
 * Reads the new submissions of a form.
 *
 * @param quota submissions to collect at most
 */
export async function pollForm(
  session: ReadingSession,
  formId: string,
  cursor: Cursor,
  limits: { quota: number; lookbackMs: number },
): Promise<FormResult> {
  const batch = new PollBatch(cursor, limits);
  try {
    return { formId, batch, isComplete: await readSince(session, formId, batch, cursor.watermark) };
  } catch (error) {
    return { formId, batch, isComplete: false, failure: toPollError(session.context, error) };
  }
}

/**
 * Where a trigger starts in a form of which it knows nothing: behind the newest submission, so that nothing of the past is emitted.
 * What was created within the look-back before it is remembered by ID, so that a late one among them is still found.
 *
 * @returns undefined when the time of the poll was not enough
 * @throws NodeApiError
 */
export async function initialCursor(
  session: ReadingSession,
  formId: string,
  lookbackMs: number,
): Promise<Cursor | undefined> {
  if (session.isTimeUp) return undefined;
  const { rows, serverTime, total } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
  const oldest = rows.at(-1);
  if (oldest === undefined) return { watermark: 0, seenIds: new Map() };
  const [newest = oldest] = rows;
  const newestMs = newest.createdMs;
  // A submission may be dated ahead; what arrives after the activation is older then.
  const watermark = Math.min(newestMs, serverTime ?? newestMs) - lookbackMs;
  const known = new PollBatch({ watermark, seenIds: new Map() }, { quota: Infinity, lookbackMs: -Infinity });
  known.add(rows);
  const isWhole = oldest.createdMs < watermark || total === rows.length;
  if (!isWhole && !(await readSince(session, formId, known, watermark))) return undefined;
  // What arrived meanwhile is new: the next poll emits it.
  const present = known.submissions().filter((row) => row.createdMs <= newestMs);
  return { watermark, seenIds: new Map(present.map((row) => [row.id, row.createdMs])) };
}
