/** One poll: the new submissions of each watched form since the last one, each exactly once. */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { isTransient } from '../api/errors';
import { isActivationOf, isOnTimer } from './activation';
import { dueForms } from './due';
import { watchedForms } from './forms';
import { detailsReader } from './items';
import { tooSlow, toPollError } from './messages';
import { notePauseReported, pauseOf, requireNoPause } from './pause';
import { readForms } from './read';
import { errorOutput, failedFormsReport, forgetFailedPolls, lostReport, report } from './reports';
import { nextPosition, serveForms } from './serve';
import { PollSession, workspaceOf } from './session';
import { readSettings, requirePast, type TriggerSettings } from './settings';
import { startForms } from './startForms';
import { loadState, saveState, type StateAtStart } from './stateStore';
import { testEvent } from './testEvent';
import { requireOwnId } from './workflowNodes';

/** Polls under way in this process, by trigger: n8n may start one while another still runs. */
const running = new Map<string, Promise<unknown>>();

/**
 * Polls, or makes the editor's test event.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError; the state is then as it was
 */
export async function poll(
  context: IPollFunctions,
  clock: Clock = systemClock,
): Promise<INodeExecutionData[][] | null> {
  const settings = readSettings(context);
  const downloadsFiles = settings.downloads !== undefined;
  const { formsField } = settings;
  const session = new PollSession(context, clock, await workspaceOf(context), { downloadsFiles, formsField });
  if (context.getMode() === 'manual') return [await testEvent(session, settings)];
  const isActivation = isActivationOf(session);
  requireOwnId(context);
  // A publication waits for the poll before it; a scheduled poll comes again.
  if (isActivation) await running.get(session.key);
  if (running.has(session.key)) return null;
  const polling = pollOrReport(session, settings, isActivation);
  running.set(
    session.key,
    polling.catch(() => undefined),
  );
  try {
    const items = await polling;
    return items.length === 0 ? null : [items];
  } finally {
    running.delete(session.key);
  }
}

/** Decides what becomes of a poll that fails: it waits in silence, goes to the error output, or fails. */
async function pollOrReport(
  session: PollSession,
  settings: TriggerSettings,
  isActivation: boolean,
): Promise<INodeExecutionData[]> {
  const start = loadState(session, isOnTimer(session, isActivation));
  const pause = pauseOf(session);
  const isWaiting = pause !== undefined && (isActivation ? start.state !== undefined : pause.isReported);
  if (isWaiting || start.isBeingStored) return [];
  try {
    return await pollForms(session, settings, start, isActivation);
  } catch (thrown) {
    const error = toPollError(session.node, thrown);
    notePauseReported(session);
    // Throwing would stop the workflow for good, although nothing is lost.
    if (isActivation && start.state !== undefined && isTransient(error)) return [];
    const items = isActivation ? undefined : errorOutput(session, error);
    if (items === undefined) throw error;
    return items;
  }
}

/** The five steps of a poll. @throws when nothing could be read */
async function pollForms(
  session: PollSession,
  settings: TriggerSettings,
  start: StateAtStart,
  isActivation: boolean,
): Promise<INodeExecutionData[]> {
  const { state } = start;
  // 1. Which forms.
  const watched = await watchedForms(session, settings, state);
  // 2. Start those of which nothing is known.
  const started = await startForms(session, settings, watched, state, { isFirst: !start.isKnown, isActivation });
  const forms = new Map(started.forms);
  for (const [formId, known] of watched.forms) if (known !== undefined) forms.set(formId, known);
  // 3. Read those that are due.
  const failed = [...started.failures];
  const due = dueForms(forms, watched.list, session.clock.now(), state?.position).filter(
    ({ formId }) => !failed.some((each) => each.formId === formId),
  );
  const readings = await readForms(session, due, settings.maxSubmissions, detailsReader(session, settings));
  if (!start.isKnown) requirePast(session, settings);
  for (const { formId, failure, rows, until } of readings) {
    // What is recent follows with the next poll, which fails if it cannot; a window that cannot be read would go unnoticed.
    const isNoticed = rows.size > 0 && until < Infinity;
    if (failure !== undefined && !isNoticed) failed.push({ formId, failure });
  }
  // 4. Make items.
  const readable = readings.filter(({ failure, rows }) => failure === undefined || rows.size > 0);
  const served = await serveForms(session, settings, readable, watched);
  const items = served.flatMap((form) => form.items);
  const [first] = failed;
  if (served.length === 0 && started.forms.size === 0) {
    if (first !== undefined && failed.length >= watched.forms.size) throw first.failure;
    const isIdle = due.length === 0 && forms.size === watched.forms.size;
    if (first === undefined && !isIdle) {
      requireNoPause(session);
      throw tooSlow(session, 'the submissions');
    }
  }
  if (session.isGivenUp) throw tooSlow(session, 'and store the submissions');
  forgetFailedPolls(session);
  if (failed.length > 0) notePauseReported(session);
  const failedIds = new Set(failed.map(({ formId }) => formId));
  const readIds = served.map(({ formId }) => formId).filter((formId) => !failedIds.has(formId));
  const reports = [
    failedFormsReport(session, failed, readIds, watched.forms.size),
    start.isLost && !isActivation ? lostReport(session) : undefined,
  ].flatMap((error) => report(session, error));
  // 5. Save, as the last act.
  for (const { formId, next } of served) forms.set(formId, next);
  const position = nextPosition(due, readings, served) ?? state?.position;
  saveState(session, start, { newestForm: watched.newestForm, position, forms }, items.length > 0);
  return [...items, ...reports];
}
