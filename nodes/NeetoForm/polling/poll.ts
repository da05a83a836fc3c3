/** One poll: reads and emits the new submissions of each watched form. The words of the trigger, such as window, are explained in `cursor.ts`. */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { hasStatus, isTransient } from '../api/errors';
import type { Row } from '../api/parse';
import { maxKnownOf, nextCursor, oldestFirst, shares, type FormState } from './cursor';
import { startForms, watchedForms, type WatchedForm } from './forms';
import { makeItems } from './items';
import { isWindowSeen, noteTurns, readInRounds, readUntil, type Reading, type StartedForm } from './read';
import {
  errorOutput,
  otherWorkspace,
  reportFailures,
  startInFuture,
  toPollError,
  type FormFailure,
  type PollError,
} from './reports';
import { beginSession, noteContext, type Activation, type PollSession } from './session';
import { loadState, loadStateAtActivation, requireOwnId, saveState, type StateAtStart } from './state';
import { testEvent } from './testEvent';

/** A form that was read, with the new submissions that fit into Max Submissions. `items` end before the first one whose file is late. */
type Batch = Reading & { submissions: Row[]; items: INodeExecutionData[] };

/** What a poll begins with. A poll without an activation is a scheduled one. */
type Beginning = StateAtStart & { activation?: Activation };

/**
 * Polls, or makes the editor's test event. Only one poll of a trigger runs at a time.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError, a test event also UserError; the state is then as it was
 */
export async function poll(
  context: IPollFunctions,
  clock: Clock = systemClock,
): Promise<INodeExecutionData[][] | null> {
  let session = await beginSession(context, clock);
  if (context.getMode() === 'manual') return [await testEvent(session)];
  const { memory } = session;
  const activation = noteContext(session);
  // An activation must answer. So it waits until no other poll runs, and then begins again, with all of its time.
  while (activation !== undefined && memory.polling !== undefined) {
    await memory.polling;
    session = await beginSession(context, clock);
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
 * A pause is short if it ends within the time of the poll.
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
  if (isBeingStored) return true;
  if (activation === 'start' && isElsewhere) return true;
  if (pause.remainingMs(clock.now()) === 0) return false;
  switch (activation) {
    case undefined:
      // A pause that was prolonged since its report has another end, and is reported again.
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
 * cannot be read, Questions to Include names no question of the form, or an activation cannot start or read a chosen form that is new
 */
async function pollForms(session: PollSession, beginning: Beginning): Promise<INodeExecutionData[]> {
  const { maxSubmissions, triggerOn } = session.settings;
  // 1. Which forms.
  const { forms: watched, listedTo } = await watchedForms(session, beginning.state);
  // 2. Start those of which nothing is known.
  const forms = await startForms(session, watched, beginning);
  // 3. Read those that are due.
  const readings = await readInRounds(session, forms.filter(isToRead));
  const failures = [...forms, ...readings].filter(isToReport);
  // Whoever publishes the workflow learns at once that a new form cannot be read.
  const failedAtStart = failures.find(({ formId }) => !Object.hasOwn(beginning.state?.forms ?? {}, formId));
  if (beginning.activation !== undefined && triggerOn !== 'allActive' && failedAtStart) throw failedAtStart.failure;
  // 4. Make items: oldest first, in fair shares.
  const quotas = shares(
    maxSubmissions,
    readings.map(({ rows }) => rows.size),
  );
  const toEmit = readings.map((form, index) => {
    return { ...form, submissions: oldestFirst(form.rows).slice(0, quotas[index]) };
  });
  const batches = await makeItems(session, toEmit);
  const items = batches.flatMap((batch) => batch.items);
  // Before the throw: otherwise, the next poll would begin with the same forms again.
  noteTurns(session, batches);
  const failureOfAll = items.length === 0 ? whyNothingWasRead(forms, failures, readings) : undefined;
  if (failureOfAll !== undefined) throw failureOfAll;
  const reports = await reportFailures(session, failures, watched.length);
  // 5. Save, as the last act.
  saveState(session, beginning, { listedTo, forms: statesAfter(session, forms, batches) }, items.length > 0);
  return [...items, ...reports];
}

function isToRead(form: WatchedForm): form is StartedForm {
  return form.state !== undefined && !form.isResting && !form.isRead;
}

/** Whether a form is reported: it failed before a new submission was read, and for another reason than time. */
function isToReport(form: WatchedForm & Partial<Reading>): form is WatchedForm & FormFailure {
  return form.failure !== undefined && !form.rows?.size && !form.isCutOff;
}

/** The failure of a poll in which every form that is not resting failed, or was cut off before its quick look had shown anything. */
function whyNothingWasRead(forms: WatchedForm[], failures: FormFailure[], readings: Reading[]): PollError | undefined {
  // If `readUntil` is still `recent`, nothing was shown after the settled part.
  const cutOff = readings.filter((form) => form.isCutOff && readUntil(form) === form.state.cursor.recent);
  const stuck = [...failures, ...cutOff];
  return stuck.length === forms.filter(({ isResting }) => !isResting).length ? stuck[0]?.failure : undefined;
}

/** What to remember of the forms, by ID. @param batches the forms that were read */
function statesAfter(session: PollSession, forms: WatchedForm[], batches: Batch[]): Record<string, FormState> {
  const states = new Map(forms.flatMap(({ formId, state }) => (state ? [[formId, state]] : [])));
  const known = [...states.values()].map(({ cursor }) => Object.keys(cursor.known).length);
  const maxKnown = maxKnownOf([...batches.map(({ rows }) => rows.size), ...known]);
  for (const batch of batches) states.set(batch.formId, stateAfter(session, batch, maxKnown));
  return Object.fromEntries(states);
}

function stateAfter(session: PollSession, batch: Batch, maxKnown: number): FormState {
  const { state, count, rows, submissions, items, readAgainFrom } = batch;
  const until = readUntil(batch);
  const emitted = submissions.slice(0, items.length);
  const read = { rows, until, readAgainFrom, now: session.earlierTime(), isWindowSeen: isWindowSeen(batch) };
  const cursor = nextCursor(state.cursor, read, emitted, maxKnown);
  const isAtEnd = emitted.length === rows.size && until === Infinity && readAgainFrom === Infinity;
  const gone = goneAfter(batch, isAtEnd);
  if (isAtEnd) return { ...state, cursor, count: count ?? state.count, gone };
  // Without a count, the next poll reads the form in any case. If something new was found, the old count is not kept: deletions may bring the listed
  // count back to it, and the form would seem to have no news.
  const hasFoundNews = rows.size > 0 || readAgainFrom < Infinity;
  return { ...state, cursor, count: hasFoundNews ? undefined : state.count, gone };
}

/** What to remember of an archived form: it rests when its week is over and nothing of it is left, or the service refuses to show it. */
function goneAfter(batch: Batch, isAtEnd: boolean): FormState['gone'] {
  const { state, mayRest, failure } = batch;
  const isDone = (isAtEnd && isWindowSeen(batch)) || hasStatus(failure, '403', '404');
  return state.gone && mayRest && isDone ? { ...state.gone, rests: true } : state.gone;
}
