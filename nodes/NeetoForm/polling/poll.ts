/**
 * One poll: reads and emits the new submissions of each watched form, and remembers what was emitted. Words such as window and quick look are
 * explained in `cursor.ts`.
 */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { hasStatus, isTransient } from '../api/errors';
import type { Row } from '../api/parse';
import { maxKnownOf, nextCursor, oldestFirst, shares, type FormState } from './cursor';
import { watchedForms, type WatchedForm } from './forms';
import { makeItems } from './items';
import { otherWorkspace, startInFuture, toPollError, type PollError } from './messages';
import { isWindowSeen, noteTurns, readInRounds, readUntil, type Reading } from './read';
import { errorOutput, isToReport, reportFailures, type FormFailure } from './reports';
import { beginSession, type PollSession } from './session';
import { readSettings } from './settings';
import { noteContext, requireOwnId, startForms, type Activation } from './start';
import { loadState, loadStateAtActivation, saveState, type StateAtStart } from './state';
import { testEvent } from './testEvent';

/**
 * A form that was read, with the new submissions that fit into Max Submissions, and their items. When files are late, the later submissions
 * have no items (see `items.ts`).
 */
type Batch = Reading & { submissions: Row[]; items: INodeExecutionData[] };

/** What a poll begins with: the stored state, and the activation to which the poll belongs. A poll without an activation is a scheduled one. */
type Beginning = StateAtStart & { activation?: Activation };

/**
 * Polls, or makes the editor's test event. n8n may start a poll while another one of the trigger still runs; here, only one runs at a time.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError, a test event also UserError; the state is then as it was
 */
export async function poll(
  context: IPollFunctions,
  clock: Clock = systemClock,
): Promise<INodeExecutionData[][] | null> {
  const settings = readSettings(context);
  let session = await beginSession(context, clock, settings);
  if (context.getMode() === 'manual') return [await testEvent(session)];
  const { memory } = session;
  const activation = noteContext(session);
  // An activation must answer. So it waits until no other poll runs, and then begins again, with all of its time. A scheduled poll does not
  // wait, because another one follows.
  while (activation !== undefined && memory.polling !== undefined) {
    await memory.polling;
    session = await beginSession(context, clock, settings);
  }
  if (memory.polling !== undefined) return null;
  const polling = pollOrReport(session, activation);
  memory.polling = polling.catch(() => undefined);
  try {
    const items = await polling;
    return items.length === 0 ? null : [items];
  } finally {
    memory.polling = undefined;
    session.end();
  }
}

/**
 * Polls unless there is a reason to wait, and decides what becomes of a failure. What happens depends on why n8n polls:
 *
 * | poll | during a pause after a 429 | credential of another workspace | failure |
 * |---|---|---|---|
 * | publication | waits if short, else fails | starts there | is thrown |
 * | n8n starts, nothing is stored | waits if short, else fails | (cannot be) | is thrown |
 * | n8n starts, a state is stored | is silent | is silent | is thrown, or silent if transient |
 * | scheduled poll | waits if short, else fails once, then is silent | fails | to the error output, or thrown |
 *
 * When n8n starts, a thrown error would switch the workflow off. Being silent loses nothing, because scheduled polls go on from the state.
 * A pause is short if it ends within the time of the poll. During a longer one, the first request of the poll fails at once.
 */
async function pollOrReport(session: PollSession, activation: Activation | undefined): Promise<INodeExecutionData[]> {
  const state = activation === undefined ? loadState(session) : await loadStateAtActivation(session);
  const beginning = { ...state, activation };
  if (isSilent(session, beginning)) return [];
  try {
    requireRightSettings(session, beginning);
    return await pollForms(session, beginning);
  } catch (thrown) {
    return afterFailure(session, beginning, toPollError(session.node, thrown));
  }
}

/** Whether a poll is silent: it returns nothing, and leaves all to a later poll. */
function isSilent({ pause, clock, memory }: PollSession, beginning: Beginning): boolean {
  const { activation, isBeingStored, isElsewhere, isFirst } = beginning;
  // n8n may still be storing the items of the last poll.
  if (isBeingStored) return true;
  if (activation === 'start' && isElsewhere) return true;
  if (pause.remainingMs(clock.now()) === 0) return false;
  switch (activation) {
    case undefined:
      // The pause was reported already. (If it was prolonged since, perhaps by another trigger, it ends later, and is reported once more.)
      return memory.reportedPause === pause.endsAt;
    case 'start':
      return !isFirst;
    case 'publication':
      return false;
  }
}

/** Refuses a poll with a wrong node ID, workspace or Start From, before any request. @throws NodeOperationError that says what to change */
function requireRightSettings(session: PollSession, { activation, isElsewhere, isFirst }: Beginning): void {
  const { context, node, clock, settings } = session;
  const { startFrom = 0 } = settings;
  if (activation !== undefined) requireOwnId(context);
  else if (isElsewhere) throw otherWorkspace(node);
  if (isFirst && startFrom > clock.now()) throw startInFuture(node, startFrom);
}

/** What becomes of a failure: silence, an item for the error output, or a throw. @throws the failure */
function afterFailure(session: PollSession, beginning: Beginning, failure: PollError): INodeExecutionData[] {
  const { activation, isFirst } = beginning;
  if (activation === 'start' && !isFirst && isTransient(failure)) return [];
  if (hasStatus(failure, '429')) session.memory.reportedPause = session.pause.endsAt;
  const items = activation === undefined ? errorOutput(session, failure) : undefined;
  if (items === undefined) throw failure;
  return items;
}

/**
 * The five steps of a poll.
 *
 * @throws NodeApiError, NodeOperationError or UserError when nothing could be read, the key is refused, the list of forms of a whole workspace
 * cannot be read, Questions to Include names what is no question of the form, or in an activation, when a chosen form that is new cannot be started
 * or cannot be read
 */
async function pollForms(session: PollSession, beginning: Beginning): Promise<INodeExecutionData[]> {
  const { maxSubmissions, triggerOn } = session.settings;
  // 1. Which forms.
  const { forms: watched, listedTo } = await watchedForms(session, beginning.state);
  const awake = watched.filter(({ isResting }) => isResting !== true);
  // 2. Start those of which nothing is known.
  const unknown = watched.filter(({ state }) => state === undefined);
  const started = await startForms(session, unknown, beginning);
  // 3. Read those that are due. The unknown forms are in `awake`, too, but without a state, and `readInRounds` leaves such forms out. They are
  // in `started` with their states: those that start at a given time (Start From, or the creation of the form) are still to be read.
  const toRead = [...awake, ...started.filter(({ isRead }) => isRead !== true)];
  const readings = await readInRounds(session, toRead);
  const failures = [...started, ...readings].filter(isToReport);
  // When a chosen form is new and cannot be started or read, the activation fails, so that the user learns it at once.
  const failedAtStart = failures.find((failed) => unknown.some(({ formId }) => formId === failed.formId));
  if (beginning.activation !== undefined && triggerOn !== 'allActive' && failedAtStart) throw failedAtStart.failure;
  // 4. Make items: oldest first, in fair shares.
  const sizes = readings.map(({ rows }) => rows.size);
  const quotas = shares(maxSubmissions, sizes);
  const toEmit = readings.map((form, index) => {
    return { ...form, submissions: oldestFirst(form.rows).slice(0, quotas[index]) };
  });
  const batches = await makeItems(session, toEmit);
  const items = batches.flatMap((batch) => batch.items);
  // The turns are noted even if the poll throws.
  noteTurns(session, batches);
  const failureOfAll = items.length === 0 ? whyNothingWasRead(awake, failures, readings) : undefined;
  if (failureOfAll !== undefined) throw failureOfAll;
  const reports = await reportFailures(session, failures, watched.length);
  // 5. Save, as the last act.
  const forms = statesAfter(session, [...watched, ...started], batches);
  saveState(session, beginning, { listedTo, forms }, items.length > 0);
  return [...items, ...reports];
}

/** The failure of a poll in which every form that is not resting failed, or was cut off before its quick look had shown anything. */
function whyNothingWasRead(awake: WatchedForm[], failures: FormFailure[], readings: Reading[]): PollError | undefined {
  // `readUntil` is `recent` as long as no look has come further.
  const cutOff = readings.filter((form) => form.isCutOff && readUntil(form) === form.state.cursor.recent);
  const stuck = [...failures, ...cutOff];
  return stuck.length === awake.length ? stuck[0]?.failure : undefined;
}

/**
 * What to remember of the forms, by ID.
 *
 * @param forms with the states that they had before reading. If a form is there twice, its later entry counts
 * @param batches the forms that were read, with what is emitted of them
 */
function statesAfter(session: PollSession, forms: WatchedForm[], batches: Batch[]): Record<string, FormState> {
  const states = new Map(forms.flatMap(({ formId, state }) => (state ? [[formId, state]] : [])));
  const known = [...states.values()].map(({ cursor }) => Object.keys(cursor.known).length);
  const maxKnown = maxKnownOf([...batches.map(({ rows }) => rows.size), ...known]);
  for (const batch of batches) states.set(batch.formId, stateAfter(session, batch, maxKnown));
  return Object.fromEntries(states);
}

function stateAfter(session: PollSession, batch: Batch, maxKnown: number): FormState {
  const { state, count, rows, submissions, items } = batch;
  const until = readUntil(batch);
  const emitted = submissions.slice(0, items.length);
  const read = { rows, until, now: session.earlierTime(), isWindowSeen: isWindowSeen(batch) };
  const cursor = nextCursor(state.cursor, read, emitted, maxKnown);
  const isAtEnd = emitted.length === rows.size && until === Infinity;
  if (isAtEnd) return { ...state, cursor, count: count ?? state.count };
  // The form was not read to its end, or not all is emitted. If new submissions were found, no count is stored, so that the next poll reads the
  // form in any case. (A count could be the same as the listed one although submissions are left, if as many others were deleted.) If none was
  // found, the old count is kept: the next poll reads the form if the listed count differs from the old one, or if its window is due.
  return { ...state, cursor, count: rows.size > 0 ? undefined : state.count };
}
