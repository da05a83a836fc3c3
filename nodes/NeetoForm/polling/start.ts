/** How a trigger starts: which polls belong to an activation, and where forms begin of which nothing is known. */

import type { IPollFunctions } from 'n8n-workflow';
import { PAGE_SIZE } from '../api/endpoints';
import { hasStatus } from '../api/errors';
import { endsTooSoon } from '../api/list';
import { isRecord, textOf } from '../json';
import { cursorFrom, maxKnownOf, nextCursor, secondOf, type Cursor } from './cursor';
import type { WatchedForm } from './forms';
import { formMemory, spreadLook } from './memory';
import { toPollError, twinRefused } from './messages';
import { budgetOf, MAX_BUDGET_MS, type PollSession } from './session';
import type { StateAtStart } from './state';

/** What a poll belongs to: somebody publishes the workflow, or n8n starts. */
export type Activation = 'publication' | 'start';

/** Notes the context of a poll, once, and tells by it what the poll belongs to. @returns undefined for a scheduled poll */
export function noteContext({ context, memory }: PollSession): Activation | undefined {
  // n8n's timers poll with one context from the activation on.
  if (memory.context === context) return undefined;
  memory.context = context;
  const mode = context.getActivationMode();
  if (mode === 'init' || mode === 'leadershipChange') return 'start';
  // n8n's scheduler also polls in mode 'update', each time with a new context. Its budget of 36 s tells it from a publication, which has
  // five minutes.
  const isUpdate = mode === 'update' && (budgetOf(context) ?? Infinity) > MAX_BUDGET_MS;
  return mode === 'activate' || isUpdate ? 'publication' : undefined;
}

/**
 * Refuses two triggers with one node ID, as an import can leave them: what each has delivered is filed under it. n8n's context holds the
 * whole workflow, though its interface does not say so.
 *
 * @throws NodeOperationError
 */
export function requireOwnId(context: IPollFunctions): void {
  const { id, name, type } = context.getNode();
  const workflow: unknown = Reflect.get(context, 'workflow');
  const nodes = isRecord(workflow) && isRecord(workflow.nodes) ? Object.values(workflow.nodes).filter(isRecord) : [];
  const others = nodes.filter((node) => node.name !== name && node.disabled !== true);
  const twin = others.find((node) => node.id === id && node.type === type);
  if (twin !== undefined) throw twinRefused(context.getNode(), textOf(twin.name));
}

/**
 * Starts forms of which nothing is known: at Start From, when this is the first publication; at its creation, when a form was created
 * after `listedTo`; else behind its newest page. With Whole Workspace, a form that cannot be read starts now, by the earlier
 * of both clocks; one that was chosen does not start, and has no state.
 *
 * @throws NodeApiError when the key is refused
 */
export async function startForms(
  session: PollSession,
  unknown: WatchedForm[],
  { isFirst, state }: Pick<StateAtStart, 'isFirst' | 'state'>,
): Promise<WatchedForm[]> {
  const { triggerOn, startFrom } = session.settings;
  const maxKnown = maxKnownOf(unknown.map(() => PAGE_SIZE));
  const begin = async (form: WatchedForm, index: number): Promise<WatchedForm> => {
    const { formId, count, createdMs = 0 } = form;
    formMemory(session.memory, formId).lookedAt = spreadLook(session.clock.now(), index / unknown.length);
    const isNewForm = triggerOn === 'allActive' && createdMs > (state?.listedTo ?? Infinity);
    const since = isFirst && startFrom !== undefined ? startFrom : isNewForm ? createdMs : undefined;
    if (since !== undefined) return { ...form, state: { cursor: cursorFrom(since) } };
    try {
      // What arrived since the list of forms was read changes the count.
      return { ...form, isRead: true, state: { cursor: await afterNewest(session, formId, maxKnown), count } };
    } catch (error) {
      const failure = toPollError(session.node, error);
      if (hasStatus(failure, '401')) throw failure;
      const now = secondOf(session.earlierClock() ?? session.clock.now());
      const fromNow = triggerOn === 'allActive' ? { cursor: cursorFrom(now), count } : undefined;
      return { ...form, isRead: true, state: fromNow, failure };
    }
  };
  return await Promise.all(unknown.map(begin));
}

/**
 * The cursor behind a form's newest page: what that shows counts as known. When there are older submissions, the window begins a
 * millisecond after the oldest one of the page, because the next page may show others of the same time, which are not known.
 */
async function afterNewest(session: PollSession, formId: string, maxKnown: number): Promise<Cursor> {
  const { rows, total, isFull } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
  // Without any row, the window would have to begin in 1970, and everything that the page did not show would be new.
  if (rows.length === 0 && total > 0) throw endsTooSoon('submissions', 0, total);
  // A total above the rows of a page that is not full may be wrong, or pages may be smaller than the service says: older ones may follow.
  const from = isFull || rows.length < total ? (rows.at(-1)?.createdMs ?? 0) + 1 : 0;
  const known = rows.filter(({ createdMs }) => createdMs >= from);
  const read = { rows: new Map(), until: Infinity, now: session.earlierClock(), isWindowSeen: true };
  return nextCursor(cursorFrom(from), read, known, maxKnown);
}
