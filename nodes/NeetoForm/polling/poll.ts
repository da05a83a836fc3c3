/**
 * One poll: reads and emits the new submissions of each watched form. The words of the trigger, such as window, are explained in
 * `../watching/cursor.ts`.
 */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { toNodeError } from '../api/messages';
import { hasStatus, isTransient, operationError, type NodeError } from '../api/nodeErrors';
import { nextCursor, oldestFirst, type FormState } from '../watching/cursor';
import { findForms, startForms, type FormFailure, type Start, type WatchedForm, type WatchedForms } from './forms';
import { makeItems } from './items';
import { isWindowSeen, noteTurns, readInRounds, readUntil, type Batch, type Reading } from './read';
import { errorOutput, reportFailures } from './reports';
import {
  activationOf,
  beginSession,
  polledTrigger,
  type Activation,
  type PolledTrigger,
  type PollSession,
} from './session';
import { maxKnownOf, shares } from './shares';
import { loadState, requireOwnId, saveState, type Beginning } from './state';
import { testEvent } from './testEvent';

/** Polls, or makes the editor's test event. @throws NodeApiError or NodeOperationError; the state is then as it was */
export async function poll(context: IPollFunctions, clock = systemClock): Promise<INodeExecutionData[][] | null> {
  const trigger = polledTrigger(context, clock);
  const { memory } = trigger;
  if (context.getMode() === 'manual') return [await fetchTestEvent(trigger)];
  const activation = activationOf(trigger);
  memory.context = context;
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

/** Polls with a session. What it throws is not reported yet: `pollOrReport` decides whether it goes to the error output. */
async function pollInSession(session: PollSession, activation: Activation | undefined): Promise<INodeExecutionData[]> {
  const beginning = await loadState(session, activation);
  if (isSilent(session, beginning)) return [];
  try {
    requireRightSettings(session, beginning);
    return await pollForms(session, beginning);
  } catch (thrown) {
    const failure = toNodeError(session.node, thrown);
    if (activation === 'start' && !beginning.isFirst && isTransient(failure)) return [];
    if (hasStatus(failure, '429')) session.memory.reportedPause = session.pause.at(session.clock.now())?.endsAt;
    throw failure;
  } finally {
    session.end();
  }
}

/** Whether a poll leaves all to a later one. */
function isSilent({ pause, clock, memory }: PollSession, beginning: Beginning): boolean {
  const { activation, isBeingStored, isElsewhere, isFirst } = beginning;
  if (isBeingStored || (activation === 'start' && isElsewhere)) return true;
  const present = pause.at(clock.now());
  if (present === undefined) return false;
  // A pause that was prolonged since its report has another end, and is reported again.
  if (activation === undefined) return memory.reportedPause === present.endsAt;
  return activation === 'start' && !isFirst;
}

/** Refuses a wrong node ID, workspace or Start From, before any request. @throws NodeOperationError */
function requireRightSettings(session: PollSession, { activation, isElsewhere, isFirst }: Beginning): void {
  const { context, node, clock, settings } = session;
  const { startFrom = 0 } = settings;
  if (activation !== undefined) requireOwnId(context);
  if (activation === undefined && isElsewhere)
    throw operationError(
      node,
      'The credential leads to another workspace than the one in which this trigger was published',
      'Unpublish the workflow, and publish it again, to start in that workspace with its new submissions. Or change the credential back. Until then, no submission is delivered, and none is lost.',
    );
  if (isFirst && startFrom > clock.now())
    throw operationError(
      node,
      `'Start From' is in the future: ${new Date(startFrom).toISOString()}`,
      "Enter a time in the past, or remove the option to start with new submissions. A time without a time zone is read in the workflow's time zone; a date alone means 00:00 UTC.",
    );
}

/** The five steps of a poll: find the forms, start those of which nothing is known, read those that are due, make items, and save. */
async function pollForms(session: PollSession, beginning: Beginning): Promise<INodeExecutionData[]> {
  const { maxSubmissions, triggerOn } = session.settings;
  const watched = await findForms(session, beginning.state);
  const starts = await startForms(session, watched.unknown, beginning.isFirst);
  const toRead = [...watched.known, ...starts.flatMap((start) => (start.kind === 'at a time' ? [start.form] : []))];
  const readings = await readInRounds(session, toRead);
  const failures = failuresIn(starts, readings);
  // An activation fails if a chosen form of which nothing is known cannot be read. Otherwise a later poll would start it, and lose what arrives until
  // then.
  const failedUnknown = failures.find(({ formId }) => !Object.hasOwn(beginning.state?.forms ?? {}, formId));
  if (beginning.activation !== undefined && triggerOn !== 'allActive' && failedUnknown) throw failedUnknown.failure;
  const quotas = shares(maxSubmissions, readings, ({ rows }) => rows.size);
  const batches = await makeItems(
    session,
    readings.map((reading) => ({
      ...reading,
      submissions: oldestFirst(reading.rows).slice(0, quotas.get(reading) ?? 0),
    })),
  );
  const items = batches.flatMap((batch) => batch.items);
  // This comes before the failure of all is thrown. Otherwise, the next poll would begin with the same forms again.
  noteTurns(session, batches);
  const failureOfAll = items.length === 0 ? whyNothingWasRead(watched, failures, readings) : undefined;
  if (failureOfAll !== undefined) throw failureOfAll;
  const reports = await reportFailures(session, failures, countOf(watched));
  const forms = statesAfter(session, watched, starts, batches);
  // This comes last: a poll that fails must change no state.
  saveState(session, beginning, { listedTo: watched.listedTo, forms }, items.length > 0);
  return [...items, ...reports];
}

/** The forms to report. One that gave something new before it failed is not among them yet. One that was cut off has not failed. */
function failuresIn(starts: Start[], readings: Reading[]): FormFailure[] {
  const ofStarts = starts.flatMap((start) => (start.kind === 'failed' ? [start.failed] : []));
  const ofReadings = readings.flatMap(({ form, rows, failed }) =>
    failed === undefined || failed.isCutOff || rows.size > 0 ? [] : [{ ...form, failure: failed.failure }],
  );
  return [...ofStarts, ...ofReadings];
}

/**
 * The failure of a poll that got nowhere: each form that is not archived either failed, or was cut off before a look came further than `recent`.
 * An archived form that cannot be read is reported, but never fails the poll: it may stay so for ever.
 */
function whyNothingWasRead(
  { known, unknown }: WatchedForms,
  failures: FormFailure[],
  readings: Reading[],
): NodeError | undefined {
  const cutOff = readings.flatMap(({ failed, ...reading }) => {
    const isStuck = failed?.isCutOff === true && readUntil(reading) === reading.form.state.cursor.recent;
    return isStuck ? [{ ...reading.form, failure: failed.failure }] : [];
  });
  const isActive = ({ isArchived }: WatchedForm) => !isArchived;
  const stuck = [...failures, ...cutOff].filter(isActive);
  // Without active forms, none is stuck, and nothing has failed.
  return stuck.length === [...known, ...unknown.map(({ form }) => form)].filter(isActive).length
    ? stuck[0]?.failure
    : undefined;
}

function countOf({ known, unknown, missing }: WatchedForms): number {
  return known.length + unknown.length + missing.size;
}

function statesAfter(
  session: PollSession,
  { known, missing }: WatchedForms,
  starts: Start[],
  batches: Batch[],
): Record<string, FormState> {
  const started = starts.flatMap(({ form }) => form ?? []);
  const states = new Map([...known, ...started].map(({ formId, state }) => [formId, state]));
  for (const [formId, state] of missing) states.set(formId, state);
  const found = new Map(batches.map(({ form, rows }) => [form.formId, rows.size]));
  const counts = [...states].map(([id, { cursor }]) => Object.keys(cursor.known).length + (found.get(id) ?? 0));
  const maxKnown = maxKnownOf(counts);
  for (const batch of batches) states.set(batch.form.formId, stateAfter(session, batch, maxKnown));
  return Object.fromEntries(states);
}

function stateAfter(session: PollSession, batch: Batch, maxKnown: number): FormState {
  const { form, rows, submissions, items } = batch;
  const { state, count, isArchived } = form;
  const until = readUntil(batch);
  const emitted = submissions.slice(0, items.length);
  const read = { rows, until, now: session.presentTime(), isWindowSeen: isWindowSeen(batch) };
  const cursor = nextCursor(state.cursor, read, emitted, maxKnown);
  // An archived form is not looked at again until its count changes, so all of its window must have been shown.
  const isAtEnd = emitted.length === rows.size && until === Infinity && (!isArchived || read.isWindowSeen);
  if (isAtEnd) return { ...state, cursor, count: count ?? state.count, wasArchived: isArchived || undefined };
  // Without a count, the next poll reads the form. With the old count, it might not: deletions may balance what was found.
  return { ...state, cursor, count: rows.size > 0 || isArchived ? undefined : state.count };
}
