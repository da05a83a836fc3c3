/** One poll: the new submissions of each watched form since the last one, each exactly once. */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { hasStatus, isTransient } from '../api/errors';
import type { Row } from '../api/parse';
import { maxKnownOf, nextCursor, oldestFirst, shares, type FormState } from './cursor';
import { watchedForms } from './forms';
import { makeItems } from './items';
import { otherWorkspace, startInFuture, toPollError } from './messages';
import { isWindowSeen, noteTurns, readForms, shownTo, type Reading } from './read';
import { errorOutput, isToReport, reportFailures } from './reports';
import { beginSession, type PollSession } from './session';
import { readSettings, type TriggerSettings } from './settings';
import { activationOf, requireOwnId, startForms, type Activation } from './start';
import { loadState, saveState, type StateAtStart } from './state';
import { testEvent } from './testEvent';

/**
 * Polls, or makes the editor's test event. One poll of a trigger runs at a time: n8n may start one while another still runs.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError; the state is then as it was
 */
export async function poll(
  context: IPollFunctions,
  clock: Clock = systemClock,
): Promise<INodeExecutionData[][] | null> {
  const settings = readSettings(context);
  let session = await beginSession(context, clock, settings);
  if (context.getMode() === 'manual') return [await testEvent(session, settings)];
  const { memory } = session;
  const activation = activationOf(session);
  // An activation waits for the poll before it, and has its own time then; a scheduled poll comes again.
  while (activation !== undefined && memory.polling !== undefined) {
    await memory.polling;
    session = await beginSession(context, clock, settings);
  }
  if (memory.polling !== undefined) return null;
  const polling = pollOrReport(session, settings, activation);
  memory.polling = polling.catch(() => undefined);
  try {
    const items = await polling;
    return items.length === 0 ? null : [items];
  } finally {
    memory.polling = undefined;
    session.end();
  }
}

/** Decides whether to poll now, and what becomes of a poll that fails: it is silent, goes to the error output, or is thrown. */
async function pollOrReport(
  session: PollSession,
  settings: TriggerSettings,
  activation: Activation | undefined,
): Promise<INodeExecutionData[]> {
  const { node, context, clock, pause, memory } = session;
  // After an activation, what the last poll emitted before it is executed in any case.
  const stored = loadState(session, activation !== undefined);
  const { isElsewhere, isFirst, isBeingStored } = stored;
  // When n8n starts, throwing would stop the workflow, although nothing is lost.
  const mayBeSilent = activation === 'start' && !isFirst;
  const isPaused = pause.remainingMs(clock.now()) > 0;
  const isPauseReported = activation === undefined && memory.reportedPause === pause.endsAt;
  if (isBeingStored || (isPaused && (mayBeSilent || isPauseReported))) return [];
  try {
    if (activation !== undefined) requireOwnId(context);
    if (isElsewhere && activation !== 'publication') throw otherWorkspace(node);
    const { startFrom = 0 } = settings;
    if (isFirst && startFrom > clock.now()) throw startInFuture(node, startFrom);
    return await pollForms(session, settings, stored, activation);
  } catch (thrown) {
    const error = toPollError(node, thrown);
    if (mayBeSilent && (isElsewhere || isTransient(error))) return [];
    if (hasStatus(error, '429')) memory.reportedPause = pause.endsAt;
    const items = activation === undefined ? errorOutput(session, error) : undefined;
    if (items === undefined) throw error;
    return items;
  }
}

/** The five steps of a poll. @throws when nothing could be read, a chosen form cannot start, or the key or the list of forms is refused */
async function pollForms(
  session: PollSession,
  settings: TriggerSettings,
  stored: StateAtStart,
  activation: Activation | undefined,
): Promise<INodeExecutionData[]> {
  // 1. Which forms.
  const { forms: watched, listedTo } = await watchedForms(session, settings, stored.state);
  const awake = watched.filter(({ isResting }) => isResting !== true);
  // 2. Start those of which nothing is known.
  const unknown = watched.filter(({ state }) => state === undefined);
  const started = await startForms(session, settings, unknown, stored);
  const forms = new Map([...watched, ...started].flatMap(({ formId, state }) => (state ? [[formId, state]] : [])));
  // 3. Read those that are due; one without state is left out.
  const toRead = [...awake, ...started.filter(({ isRead }) => isRead !== true)];
  const readings = await readForms(session, settings.maxSubmissions, toRead);
  const failures = [...started, ...readings].filter(isToReport);
  const notStarted = failures.find((failed) => unknown.some(({ formId }) => formId === failed.formId));
  if (activation !== undefined && settings.triggerOn !== 'allActive' && notStarted) throw notStarted.failure;
  // 4. Make items: oldest first, in fair shares.
  const needs = readings.map(({ rows }) => rows.size);
  const quotas = shares(settings.maxSubmissions, needs);
  const batches = readings.map(({ formId, rows, details }, index) => {
    return { formId, details, submissions: oldestFirst(rows).slice(0, quotas[index]) };
  });
  const made = await makeItems(session, settings, batches);
  const items = made.flat();
  noteTurns(session, readings, made);
  const cutOff = readings.filter((form) => form.isCutOff && shownTo(form) === form.state.cursor.recent);
  const stuck = [...failures, ...cutOff];
  if (items.length === 0 && stuck.length === awake.length && stuck[0]?.failure) throw stuck[0].failure;
  const reports = reportFailures(session, failures, watched.length);
  // 5. Save, as the last act.
  const maxKnown = maxKnownOf([...needs, ...[...forms.values()].map(({ cursor }) => Object.keys(cursor.known).length)]);
  for (const [index, reading] of readings.entries()) {
    const emitted = batches[index]?.submissions.slice(0, made[index]?.length) ?? [];
    forms.set(reading.formId, stateAfter(session, reading, emitted, maxKnown));
  }
  saveState(session, stored, { listedTo, forms: Object.fromEntries(forms) }, items.length > 0);
  return [...items, ...reports];
}

/** What to remember of a form. @param emitted the submissions that the poll emits @param maxKnown IDs to remember at most */
function stateAfter(session: PollSession, reading: Reading, emitted: Row[], maxKnown: number): FormState {
  const { state, count, rows } = reading;
  const until = shownTo(reading);
  const read = { rows, until, now: session.earlierClock(), isWindowSeen: isWindowSeen(reading) };
  const cursor = nextCursor(state.cursor, read, emitted, maxKnown);
  const isAtEnd = emitted.length === rows.size && until === Infinity;
  // A form in which something waits has news even if its count is as before: others may have been deleted.
  return { ...state, cursor, count: isAtEnd ? (count ?? state.count) : rows.size > 0 ? undefined : state.count };
}
