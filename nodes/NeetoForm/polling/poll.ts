/** One poll: reads and emits the new submissions of each watched form. The words of the trigger, such as window, are explained in `cursor.ts`. */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { hasStatus, isTransient, operationError, type NodeError } from '../api/errors';
import { toNodeError } from '../api/messages';
import type { Row } from '../api/parse';
import { maxKnownOf, nextCursor, oldestFirst, shares, type FormState } from './cursor';
import { isIdle, startForms, watchedForms, type WatchedForm } from './forms';
import { makeItems } from './items';
import { isWindowSeen, noteTurns, readInRounds, readUntil, type Reading } from './read';
import { errorOutput, reportFailures } from './reports';
import { beginSession, noteContext, polledTrigger } from './session';
import type { Activation, PolledTrigger, PollSession } from './session';
import { loadState, requireOwnId, saveState, type StateAtStart } from './state';
import { testEvent } from './testEvent';

/** A form that was read, with the new submissions that fit into Max Submissions. The last of them have no items if a file is late. */
type Batch = Reading & { submissions: Row[]; items: INodeExecutionData[] };

/** Polls, or makes the editor's test event. @throws NodeApiError or NodeOperationError; the state is then as it was */
export async function poll(context: IPollFunctions, clock = systemClock): Promise<INodeExecutionData[][] | null> {
  const trigger = polledTrigger(context, clock);
  const { memory } = trigger;
  if (context.getMode() === 'manual') return [await fetchTestEvent(trigger)];
  const activation = noteContext(trigger);
  // Only one poll of a trigger runs at a time. An activation must answer: it waits.
  while (activation !== undefined && memory.polling !== undefined) await memory.polling;
  if (memory.polling !== undefined) return null;
  const polling = pollOrReport(trigger, activation);
  memory.polling = polling.catch(() => undefined);
  try {
    const items = await polling;
    return items.length === 0 ? null : [items];
  } finally {
    memory.polling = undefined;
  }
}

async function fetchTestEvent(trigger: PolledTrigger): Promise<INodeExecutionData[]> {
  try {
    return await testEvent(await beginSession(trigger));
  } catch (thrown) {
    throw toNodeError(trigger.node, thrown);
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
 * | scheduled poll | is silent if the pause was reported, else waits if short, or fails | fails | to the error output, or thrown |
 *
 * When n8n starts, a thrown error would switch the workflow off. Being silent loses nothing, because scheduled polls go on from the state.
 * A wrong parameter is a failure, too, and so is a credential that cannot be used. Neither is transient.
 * A pause is short if it ends within the time of the poll. Then its requests wait.
 */
async function pollOrReport(trigger: PolledTrigger, activation: Activation | undefined): Promise<INodeExecutionData[]> {
  try {
    return await pollInSession(await beginSession(trigger), activation);
  } catch (thrown) {
    const failure = toNodeError(trigger.node, thrown);
    if (activation !== undefined || !trigger.hasErrorOutput) throw failure;
    return errorOutput(trigger, failure);
  }
}

/** Polls with a session. What it throws says nothing yet about the error output. */
async function pollInSession(session: PollSession, activation: Activation | undefined): Promise<INodeExecutionData[]> {
  const beginning = await loadState(session, activation);
  if (isSilent(session, beginning)) return [];
  try {
    requireRightSettings(session, beginning);
    return await pollForms(session, beginning);
  } catch (thrown) {
    const failure = toNodeError(session.node, thrown);
    if (activation === 'start' && !beginning.isFirst && isTransient(failure)) return [];
    if (hasStatus(failure, '429')) session.memory.reportedPause = session.pause.endsAt;
    throw failure;
  } finally {
    session.end();
  }
}

/** Whether a poll leaves all to a later one. */
function isSilent({ pause, clock, memory }: PollSession, beginning: StateAtStart): boolean {
  const { activation, isBeingStored, isElsewhere, isFirst } = beginning;
  if (isBeingStored || (activation === 'start' && isElsewhere)) return true;
  if (pause.remainingMs(clock.now()) === 0) return false;
  // A pause that was prolonged since its report has another end, and is reported again.
  if (activation === undefined) return memory.reportedPause === pause.endsAt;
  return activation === 'start' && !isFirst;
}

/** Refuses a wrong node ID, workspace or Start From, before any request. @throws NodeOperationError */
function requireRightSettings(session: PollSession, { activation, isElsewhere, isFirst }: StateAtStart): void {
  const { context, node, clock, settings } = session;
  const { startFrom = 0 } = settings;
  if (activation !== undefined) requireOwnId(context);
  if (activation === undefined && isElsewhere)
    throw operationError(
      node,
      'The credential leads to another workspace than the one in which this trigger was published',
      'Publish the workflow again to start in that workspace with its new submissions, or change the credential back. Until then, no submission is delivered, and none is lost.',
    );
  if (isFirst && startFrom > clock.now())
    throw operationError(
      node,
      `'Start From' is in the future: ${new Date(startFrom).toISOString()}`,
      "Enter a time in the past, or remove the option to start with new submissions. A time without a time zone is read in the workflow's time zone; a date alone means 00:00 UTC.",
    );
}

/** The five steps of a poll: choose the forms, start those of which nothing is known, read those that are due, make items, and save. */
async function pollForms(session: PollSession, beginning: StateAtStart): Promise<INodeExecutionData[]> {
  const { maxSubmissions, triggerOn } = session.settings;
  const { forms: watched, listedTo } = await watchedForms(session, beginning.state);
  const forms = await startForms(session, watched, beginning);
  const readings = await readInRounds(session, forms);
  // `forms` have the failures of starting, `readings` those of reading.
  const failures = [...forms, ...readings].filter(isToReport);
  // An activation fails if a chosen form that is new cannot be read. Otherwise a later poll would start it, and lose what arrives until then.
  const failedNewForm = failures.find(({ formId }) => !Object.hasOwn(beginning.state?.forms ?? {}, formId));
  if (beginning.activation !== undefined && triggerOn !== 'allActive' && failedNewForm) throw failedNewForm.failure;
  const sizes = readings.map(({ rows }) => rows.size);
  const quotas = shares(maxSubmissions, sizes);
  const toEmit = readings.map((form, index) => {
    return { ...form, submissions: oldestFirst(form.rows).slice(0, quotas[index]) };
  });
  const made = await makeItems(session, toEmit);
  const batches = toEmit.map((form, index) => ({ ...form, items: made[index] ?? [] }));
  const items = made.flat();
  // This comes before the throw. Otherwise, the next poll would begin with the same forms again.
  noteTurns(session, batches);
  const failureOfAll = items.length === 0 ? whyNothingWasRead(forms, failures, readings) : undefined;
  if (failureOfAll !== undefined) throw failureOfAll;
  const reports = await reportFailures(session, failures, forms.length);
  // This comes last: a poll that fails must change no state.
  saveState(session, beginning, { listedTo, forms: statesAfter(session, forms, batches) }, items.length > 0);
  return [...items, ...reports];
}

/** A form that gave something new before it failed is not reported yet. One that was cut off has not failed. */
function isToReport(form: WatchedForm & Partial<Reading>): form is WatchedForm & { failure: NodeError } {
  return form.failure !== undefined && !form.rows?.size && !form.isCutOff;
}

/** The failure of a poll that got nowhere: each form that is not idle either failed, or was cut off before a look came further than `recent`. */
function whyNothingWasRead(forms: WatchedForm[], failures: WatchedForm[], readings: Reading[]): NodeError | undefined {
  // A form that was cut off is not among the failures.
  const cutOff = readings.filter((form) => form.isCutOff && readUntil(form) === form.state.cursor.recent);
  const stuck = [...failures, ...cutOff];
  return stuck.length === forms.filter((form) => !isIdle(form)).length ? stuck[0]?.failure : undefined;
}

function statesAfter(session: PollSession, forms: WatchedForm[], batches: Batch[]): Record<string, FormState> {
  const states = new Map(forms.flatMap(({ formId, state }) => (state ? [[formId, state]] : [])));
  const found = new Map(batches.map(({ formId, rows }) => [formId, rows.size]));
  const counts = [...states].map(([id, { cursor }]) => Object.keys(cursor.known).length + (found.get(id) ?? 0));
  const maxKnown = maxKnownOf(counts);
  for (const batch of batches) states.set(batch.formId, stateAfter(session, batch, maxKnown));
  return Object.fromEntries(states);
}

function stateAfter(session: PollSession, batch: Batch, maxKnown: number): FormState {
  const { state, count, rows, submissions, items, isArchived = false } = batch;
  const until = readUntil(batch);
  const emitted = submissions.slice(0, items.length);
  const read = { rows, until, now: session.presentTime(), isWindowSeen: isWindowSeen(batch) };
  const cursor = nextCursor(state.cursor, read, emitted, maxKnown);
  // An archived form is not looked at again until its count changes, so all of its window must have been shown.
  const isAtEnd = emitted.length === rows.size && until === Infinity && (!isArchived || read.isWindowSeen);
  if (isAtEnd) return { ...state, cursor, count: count ?? state.count };
  // Without a count, the next poll reads the form. With the old count, it might not: deletions may balance what was found.
  return { ...state, cursor, count: rows.size > 0 || isArchived ? undefined : state.count };
}
