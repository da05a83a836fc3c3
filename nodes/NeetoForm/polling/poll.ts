/** One poll: the new submissions of each watched form since the last one, each exactly once. */

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { hasStatus, isTransient } from '../api/errors';
import { isActivationOf, isExecuting } from './activation';
import { detailsReader, keepDetails } from './details';
import { dueForms } from './due';
import { watchedForms } from './forms';
import { nextLookedAt } from './lateFinishers';
import { tooSlow, toPollError } from './messages';
import { readForms, type FormReading } from './read';
import { errorOutput, failedFormsReport, forgetFailedPolls, lostReport, report, type FormFailure } from './reports';
import { nextPosition, serveForms } from './serve';
import { PollSession, workspaceOf } from './session';
import { readSettings, type TriggerSettings } from './settings';
import { requireNoMistake, requirePast, startForms } from './startForms';
import { loadState, type StateAtStart } from './stateStore';
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
  const begin = async () => new PollSession(context, clock, await workspaceOf(context), settings);
  let session = await begin();
  if (context.getMode() === 'manual') return [await testEvent(session, settings)];
  const isActivation = isActivationOf(session);
  requireOwnId(session);
  const { key } = session;
  // A publication waits for the poll before it, and has its own time then; a scheduled poll comes again.
  if (isActivation && running.has(key)) {
    await running.get(key);
    session = await begin();
  }
  if (running.has(key)) return null;
  const polling = pollOrReport(session, settings, isActivation);
  running.set(
    key,
    polling.catch(() => undefined),
  );
  try {
    const items = await polling;
    return items.length === 0 ? null : [items];
  } finally {
    running.delete(key);
    session.end();
  }
}

/** Decides whether to poll now, and what becomes of a poll that fails: it is silent, goes to the error output, or is thrown. */
async function pollOrReport(
  session: PollSession,
  settings: TriggerSettings,
  isActivation: boolean,
): Promise<INodeExecutionData[]> {
  const start = loadState(session, isExecuting(session, isActivation));
  const isPaused = session.pause.remainingMs(session.clock.now()) > 0;
  // In silence, a form that is chosen now would start later than its user believes.
  const mayBeSilent = isActivation ? isAllKnown(settings, start) : session.pause.isReported;
  if (start.isBeingStored || (isPaused && mayBeSilent)) return [];
  try {
    return await pollForms(session, settings, start, isActivation);
  } catch (thrown) {
    const error = toPollError(session.node, thrown);
    // Throwing would stop the workflow for good, although nothing is lost.
    if (isActivation && mayBeSilent && isTransient(error)) return [];
    if (hasStatus(error, '429')) session.pause.noteReported();
    const items = isActivation ? undefined : errorOutput(session, error);
    if (items === undefined) throw error;
    return items;
  }
}

/** Whether something is known of all forms that were chosen. */
function isAllKnown({ formIds }: TriggerSettings, { state }: StateAtStart): boolean {
  return state !== undefined && formIds.every((formId) => state.forms.has(formId));
}

/** The five steps of a poll. @throws when nothing could be read */
async function pollForms(
  session: PollSession,
  settings: TriggerSettings,
  start: StateAtStart,
  isActivation: boolean,
): Promise<INodeExecutionData[]> {
  const { state, isFirst } = start;
  // 1. Which forms.
  const watched = await watchedForms(session, settings, state);
  // 2. Start those of which nothing is known.
  const started = await startForms(session, settings, watched, state?.listedTo, { isFirst, isActivation });
  const forms = new Map(started.forms);
  for (const [formId, known] of watched.forms) if (known !== undefined) forms.set(formId, known);
  // 3. Read those that are due.
  const unreadable = new Set(started.failures.map(({ formId }) => formId));
  const due = dueForms(forms, watched.list, session.clock.now(), state?.position).filter(
    ({ formId }) => !unreadable.has(formId),
  );
  const readings = await readForms(session, due, settings.maxSubmissions, detailsReader(session, settings));
  const failures = [...started.failures, ...failuresOf(readings)];
  const isStarting = ({ formId }: FormFailure) => started.forms.has(formId);
  requireNoMistake(failures.filter(isStarting), settings.triggerOn, isActivation);
  // The service's time is known only now.
  if (isFirst) requirePast(session, settings);
  // 4. Make items.
  const readable = readings.filter(({ failure, rows }) => failure === undefined || rows.size > 0);
  const served = await serveForms(session, settings, readable, watched);
  const isIdle = due.length === 0 && forms.size === watched.forms.size;
  const hasProgress = served.length > 0 || started.hasProgress || isIdle;
  if (hasProgress) forgetFailedPolls(session);
  else requireOthers(session, failures, [...forms.keys()]);
  if (session.isGivenUp) throw tooSlow(session, 'and store the submissions');
  const items = served.flatMap((form) => form.items);
  const reports = reportsOf(session, failures, watched.forms.size, start.isLost && !isActivation);
  // 5. Save, as the last act.
  for (const { formId, next, details } of served) {
    forms.set(formId, next);
    keepDetails(session, formId, details);
  }
  for (const { formId, state: known, lookedTo } of readings) {
    if (lookedTo === undefined) continue;
    // A look that failed was made all the same.
    forms.set(formId, { ...(forms.get(formId) ?? known), lookedAt: nextLookedAt(known, session.clock.now()) });
  }
  const position = nextPosition(due, readings, served) ?? state?.position;
  start.save({ listedTo: watched.listedTo, position, forms }, items.length > 0);
  return [...items, ...reports];
}

/** What to report of the forms that were read. */
function failuresOf(readings: FormReading[]): FormFailure[] {
  return readings.flatMap(({ formId, failure, rows, until }) => {
    // A quick look that broke off is made again by the next poll, which reports it if nothing is shown.
    const isMadeAgain = rows.size > 0 && until < Infinity;
    return failure === undefined || isMadeAgain ? [] : [{ formId, failure }];
  });
}

/** What a poll that succeeds says beside its submissions. @returns the items for the error output */
function reportsOf(
  session: PollSession,
  failures: FormFailure[],
  watched: number,
  isLost: boolean,
): INodeExecutionData[] {
  if (failures.some(({ failure }) => hasStatus(failure, '429'))) session.pause.noteReported();
  const errors = [failedFormsReport(session, failures, watched), isLost ? lostReport(session) : undefined];
  return errors.flatMap((error) => report(session, error));
}

/**
 * A poll in which nothing was read fails, unless there are others than the failed forms: they had nothing to read, or the next poll
 * begins with them.
 *
 * @throws NodeApiError
 */
function requireOthers(session: PollSession, failures: FormFailure[], formIds: string[]): void {
  const [first] = failures;
  if (first === undefined) throw tooSlow(session, 'the submissions');
  const failed = new Set(failures.map(({ formId }) => formId));
  if (formIds.every((formId) => failed.has(formId))) throw first.failure;
}
