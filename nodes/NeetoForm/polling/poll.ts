import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { isTransient, toNodeApiError } from '../api/errors';
import { inOrder } from '../api/inOrder';
import { emitBatches } from './emit';
import {
  errorOutput,
  failedFormsReport,
  forgetFailedPolls,
  report,
  tooManyIdsReport,
  type FormFailure,
} from './errorReport';
import { pollForm, type FormResult } from './pollForm';
import { ProcessMemory } from './processMemory';
import { PollSession, toPollError, workspaceOf } from './session';
import { readSettings, type TriggerSettings } from './settings';
import { startForms, startTime } from './startForms';
import { StateStore } from './stateStore';
import { testEvent } from './testEvent';
import type { FormState } from './triggerState';
import { dueForms, noteReads, tooSlow, watchedForms, type WatchedForms } from './watchedForms';

/**
 * ms that n8n may take to store what a poll emitted: 12 s were measured while n8n started on a busy computer. With durable cursors, a
 * poll may begin meanwhile with the state before: n8n lets both store. Shorter than the minute between two polls, so that the next one
 * repeats what could not be stored.
 */
const STORING_MS = 55_000;

/** Triggers that poll in this process: n8n may start a poll while another still runs. */
const running = new Set<string>();

/** The revision of the state with which a trigger last emitted something. */
const emitted = new ProcessMemory<number>();

/** Contexts that have polled before. In memory mode n8n keeps one from the activation on. */
const polledBefore = new WeakSet<IPollFunctions>();

/**
 * One poll: the new submissions of each watched form since the last one, each exactly once.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError; the state is then as it was
 */
export async function poll(
  context: IPollFunctions,
  clock: Clock = systemClock,
): Promise<INodeExecutionData[][] | null> {
  const settings = readSettings(context);
  const session = new PollSession(context, clock, await workspaceOf(context), settings.downloads !== undefined);
  if (context.getMode() === 'manual') return [await testEvent(session, settings)];
  const isActivation = isFirstPollOf(context);
  const lock = [session.key, session.workspace, settings.triggerOn, ...settings.formIds].join(' ');
  if (running.has(lock)) return null;
  running.add(lock);
  try {
    const items = await pollForms(session, settings, isActivation);
    forgetFailedPolls(session);
    return items.length === 0 ? null : [items];
  } catch (error) {
    session.noteReported();
    const items = isActivation ? undefined : errorOutput(session, error);
    if (items === undefined) throw toPollError(context, error);
    return items.length === 0 ? null : [items];
  } finally {
    running.delete(lock);
  }
}

async function pollForms(
  session: PollSession,
  settings: TriggerSettings,
  isActivation: boolean,
): Promise<INodeExecutionData[]> {
  const { context, clock } = session;
  const store = new StateStore(context, session.workspace);
  const state = store.load();
  // n8n is still storing what the last poll emitted.
  if (store.revision < (emitted.get(session.key, clock.now()) ?? 0)) return [];
  const retryAfterMs = session.retryAfterMs;
  if (retryAfterMs !== undefined) {
    if (session.isRateLimitReported && !isActivation) return [];
    if (state !== undefined && isActivation) return [];
    throw toNodeApiError(context.getNode(), { kind: 'status', status: 429, retryAfterMs }, { what: 'forms' });
  }
  try {
    const watched = await watchedForms(session, settings, state);
    const startedAt = startTime(settings, state, watched);
    const started = await startForms(session, settings, watched, state?.startedAt);
    const forms = new Map(
      [...watched.forms].flatMap(([formId, known]) => entryOf(formId, known ?? started.forms.get(formId))),
    );
    const isNew = (formId: string) =>
      settings.startFrom === undefined && started.forms.has(formId) && !state?.startedAt;
    const due = dueForms(session, { forms, list: watched.list }, state?.position).filter((formId) => !isNew(formId));
    const read = await readForms(session, settings, forms, due);
    const failures = [...started.failures, ...read.failures];
    const [failure] = failures;
    if (failure !== undefined && failures.length >= watched.forms.size && started.forms.size === 0)
      throw failure.failure;
    const items = await emitBatches(session, settings, read.results);
    for (const result of read.results)
      forms.set(result.formId, stateAfter(result, forms.get(result.formId), watched, settings));
    const revision = store.save({ startedAt, position: read.position, forms }, items.length > 0);
    if (items.length > 0) emitted.set(session.key, revision, clock.now(), STORING_MS);
    const readIds = read.results.map(({ formId }) => formId);
    noteReads(session, readIds, watched);
    if (failures.length > 0) session.noteReported();
    const full = read.results.filter(({ batch }) => batch.hasTooManyIds).map(({ formId }) => formId);
    const reports = [
      failedFormsReport(session, failures, readIds, watched.forms.size),
      tooManyIdsReport(session, full, readIds),
    ];
    return [...items, ...reports.flatMap((error) => report(session, error))];
  } catch (error) {
    // Throwing would stop the workflow for good, although nothing is lost.
    if (isActivation && state !== undefined && isTransient(error)) return [];
    throw toPollError(context, error);
  }
}

interface ReadForms {
  results: FormResult[];
  failures: FormFailure[];
  /** The form where the poll stopped; undefined when it reached all. */
  position?: string;
}

/** Reads due forms, several at once, and grants Max Submissions in their order. */
async function readForms(
  session: PollSession,
  { maxSubmissions, lookbackMs }: TriggerSettings,
  forms: Map<string, FormState>,
  due: string[],
): Promise<ReadForms> {
  const results: FormResult[] = [];
  const failures: FormFailure[] = [];
  let remaining = maxSubmissions;
  let position: string | undefined;
  const read = async (index: number): Promise<FormResult> => {
    const formId = due[index] ?? '';
    const cursor = forms.get(formId)?.cursor ?? { watermark: 0, seenIds: new Map() };
    return await pollForm(session, formId, cursor, { quota: maxSubmissions, lookbackMs });
  };
  for await (const result of inOrder(due.length, read)) {
    const { formId, batch, failure } = result;
    if (failure !== undefined && batch.size === 0) {
      failures.push({ formId, failure });
      position = formId;
      continue;
    }
    const hasProgress = batch.size > 0 || result.isComplete || batch.isFull || batch.hasAdvanced;
    if (!hasProgress) {
      // It is the first of the next poll, unless it had the whole time of this one.
      if (formId !== due[0]) return { results, failures, position };
      failures.push({ formId, failure: tooSlow(session, "the form's latest submissions") });
      return { results, failures, position: formId };
    }
    if (batch.size > remaining) {
      batch.keep(remaining);
      result.isComplete = false;
    }
    remaining -= batch.size;
    results.push(result);
    position = formId;
    if (remaining <= 0) break;
  }
  return { results, failures, position: position === due.at(-1) ? undefined : position };
}

function stateAfter(
  { formId, batch, isComplete }: FormResult,
  before: FormState | undefined,
  { list }: WatchedForms,
  { lookbackMs }: TriggerSettings,
): FormState {
  const { archivedAt } = before ?? {};
  const isDrained = archivedAt !== undefined && (list?.serverTime ?? archivedAt) - archivedAt >= lookbackMs;
  return {
    cursor: batch.cursor(),
    count: isComplete ? list?.forms.get(formId)?.count : undefined,
    archivedAt,
    isResting: (isComplete && isDrained) || undefined,
  };
}

function entryOf(formId: string, state: FormState | undefined): Array<[formId: string, state: FormState]> {
  return state === undefined ? [] : [[formId, state]];
}

/** Whether this poll belongs to an activation or a start of n8n, where throwing would stop the workflow for good. */
function isFirstPollOf(context: IPollFunctions): boolean {
  const mode = context.getActivationMode();
  const isFirst = !polledBefore.has(context) && (mode === 'activate' || mode === 'init');
  polledBefore.add(context);
  return isFirst;
}
