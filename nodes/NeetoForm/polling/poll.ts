import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { CREDENTIAL } from '../api/credential';
import { formPath } from '../api/endpoints';
import { createdMs, readQuestions } from '../api/read';
import { expectShape } from '../api/shape';
import type { Submission } from '../api/types';
import { workspaceUrl } from '../api/workspaceAddress';
import { needsQuestions, present } from '../submissions/present';
import { askFor, get, subjectOf, type PollCall } from './ask';
import { takeBaseline } from './baseline';
import { Harvest } from './cursor';
import { drain, type Drain } from './drain';
import { settingsOf, type Settings } from './settings';
import { CursorStore } from './store';

/** ms a poll may take at most; n8n's durable scheduler abandons one after 45 s. */
const MAX_BUDGET_MS = 45_000;

/** The part of the budget in which requests may begin; the rest is for the last of them to end. */
const WORKING_SHARE = 0.8;

/** Polls under way in this process: n8n may start one while another still runs. */
const running = new Set<string>();

/** ms that n8n may take to store what a poll handed out. With durable cursors, a poll may begin meanwhile from the place before. */
const STORING_MS = 30_000;

/** The latest submission that was handed out in this process, and when. */
const handedOut = new Map<string, { submission: Submission; at: number }>();

/** Contexts that have polled before. In memory mode n8n keeps one from the activation on. */
const active = new WeakSet<IPollFunctions>();

/**
 * One poll: the new submissions of the form since the last one, each exactly once.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError; the cursor then stays as it was
 */
export async function poll(context: IPollFunctions, clock: Clock = systemClock): Promise<INodeExecutionData[][] | null> {
  const settings = settingsOf(context);
  const call = await callOf(context, settings.formId, clock);
  const isManual = context.getMode() === 'manual';
  return await expectShape(context.getNode(), subjectOf(call), async () => await (isManual ? showNewest(call, settings) : pollAlone(call, settings)));
}

/** A manual test shows the newest submission there is and changes nothing. */
async function showNewest(call: PollCall, settings: Settings): Promise<INodeExecutionData[][]> {
  const { rows } = await askFor(call)({ order: 'desc', page: 1 });
  if (rows.length === 0) {
    throw new NodeOperationError(call.context.getNode(), 'This form has no submissions yet', {
      description: 'Fill in the form once at its public address, then fetch a test event again.',
    });
  }
  return [await itemsOf(call, settings, rows.slice(0, 1))];
}

async function pollAlone(call: PollCall, settings: Settings): Promise<INodeExecutionData[][] | null> {
  const { context } = call;
  const source = `${new URL(call.workspace).host}/${settings.formId}`;
  const lock = [context.getWorkflow().id, context.getNode().id, source].join(' ');
  if (running.has(lock)) return null;
  running.add(lock);
  try {
    const store = new CursorStore(context, source);
    return isBehind(store, handedOut.get(lock), call.clock) ? null : await pollForNew(call, settings, store, lock);
  } finally {
    running.delete(lock);
  }
}

async function pollForNew(call: PollCall, settings: Settings, store: CursorStore, lock: string): Promise<INodeExecutionData[][] | null> {
  const { context, clock, deadline } = call;
  const work = { ask: askFor(call), clock, deadline };
  const isActivation = isFirstPollOf(context);
  const kept = store.load();
  if (kept === undefined && settings.startFrom === undefined) {
    const baseline = await takeBaseline(work, settings);
    if (baseline === undefined) throw tooSlow(call);
    store.save(baseline);
    return null;
  }
  const cursor = kept ?? { c: settings.startFrom ?? 0, seen: new Map() };
  const harvest = new Harvest(cursor, settings);
  const outcome = await drainUntilFault({ ...work, harvest }, cursor.c, call);
  const next = harvest.cursor();
  const fault = outcome === 'time is up' && next.c === cursor.c ? tooSlow(call) : outcome;
  // What was taken before a fault is handed out; the next poll meets the fault first and reports it.
  if (fault instanceof NodeApiError && harvest.isEmpty) {
    if (kept !== undefined && isActivation && mayPass(fault)) return null;
    throw fault;
  }
  const taken = harvest.taken();
  const items = await itemsOf(call, settings, taken);
  store.save(next);
  const latest = taken.at(-1);
  if (latest !== undefined) handedOut.set(lock, { submission: latest, at: clock.now() });
  return items.length === 0 ? null : [items];
}

/** Whether the kept cursor does not know yet what a poll has just handed out. */
function isBehind(store: CursorStore, last: { submission: Submission; at: number } | undefined, clock: Clock): boolean {
  const kept = store.load();
  if (kept === undefined || last === undefined) return false;
  const sinceMs = clock.now() - last.at;
  if (sinceMs < 0 || sinceMs >= STORING_MS) return false;
  return createdMs(last.submission) >= kept.c && !kept.seen.has(last.submission.id);
}

/** @returns what stopped the reading before the list's end or the harvest's fill; undefined when nothing did */
async function drainUntilFault(work: Drain, from: number, call: PollCall): Promise<NodeApiError | 'time is up' | undefined> {
  const node = call.context.getNode();
  try {
    const isAtEnd = await expectShape(node, subjectOf(call), async () => await drain(work, from));
    return isAtEnd || work.harvest.isFull ? undefined : 'time is up';
  } catch (error) {
    return error instanceof NodeApiError ? error : new NodeApiError(node, { message: String(error) });
  }
}

async function itemsOf(call: PollCall, { formId, presentation }: Settings, submissions: Submission[]): Promise<INodeExecutionData[]> {
  const questions = needsQuestions(submissions, presentation) ? readQuestions((await get(call, formPath(formId))).body) : [];
  return present(submissions, formId, presentation, questions).map((json: IDataObject) => ({ json }));
}

async function callOf(context: IPollFunctions, formId: string, clock: Clock): Promise<PollCall> {
  const workspace = await workspaceOf(context);
  const budget = Math.min(budgetOf(context), MAX_BUDGET_MS);
  const now = clock.now();
  return { context, formId, workspace, clock, deadline: now + budget * WORKING_SHARE, abandonAt: now + budget };
}

async function workspaceOf(context: IPollFunctions): Promise<string> {
  const credential = await context.getCredentials(CREDENTIAL);
  try {
    return workspaceUrl(credential);
  } catch (error) {
    throw new NodeOperationError(context.getNode(), error instanceof Error ? error.message : 'The credential has no usable address');
  }
}

/** n8n tells the budget since 2.38. */
function budgetOf(context: IPollFunctions): number {
  return 'getPollBudgetMs' in context && typeof context.getPollBudgetMs === 'function' ? context.getPollBudgetMs() : MAX_BUDGET_MS;
}

/** Whether this poll belongs to an activation or a start of n8n, where throwing would stop the workflow for good. */
function isFirstPollOf(context: IPollFunctions): boolean {
  const mode = context.getActivationMode();
  const isFirst = !active.has(context) && (mode === 'activate' || mode === 'init');
  active.add(context);
  return isFirst;
}

/** Reading on in the next poll would begin where this one began, and come no further. */
function tooSlow({ context }: PollCall): NodeApiError {
  const message = "The service answers too slowly to read the form's latest submissions in the time of one poll";
  return new NodeApiError(context.getNode(), { message }, {
    message,
    description: "Lower this node's Options > Look-Back: as many minutes of submissions are read again by every poll. If it goes away by itself, nothing was lost.",
    failure: { cause: 'temporarily-unavailable' },
  });
}

/** Whether a fault goes away by itself: no answer, a rate limit, or trouble at the service. */
function mayPass({ failure }: NodeApiError): boolean {
  return failure?.cause === 'temporarily-unavailable' || failure?.cause === 'rate-limited';
}
