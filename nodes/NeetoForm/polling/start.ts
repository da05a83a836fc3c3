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
import { budgetOf, MAX_BUDGET_MS, workflowIn, type PollSession } from './session';
import type { StateAtStart } from './state';

/** Why a poll runs at once: somebody publishes the workflow, or n8n starts. */
export type Activation = 'publication' | 'start';

/** Tells by n8n's context whether a poll belongs to an activation, and remembers the context. @returns undefined for a scheduled poll */
export function noteContext({ context, memory }: PollSession): Activation | undefined {
  // n8n's timers start polls by default. All their polls have the context of the last activation.
  if (memory.context === context) return undefined;
  memory.context = context;
  const mode = context.getActivationMode();
  if (mode === 'init' || mode === 'leadershipChange') return 'start';
  // n8n's scheduler, which users can turn on instead of the timers, polls in mode 'update', each time with a new context. Its budget of 36 s tells
  // it from a publication, which has five minutes.
  const isUpdate = mode === 'update' && (budgetOf(context) ?? Infinity) > MAX_BUDGET_MS;
  return mode === 'activate' || isUpdate ? 'publication' : undefined;
}

/**
 * Refuses two triggers with one node ID, as an import can leave them: what each has delivered is filed under it.
 *
 * @throws NodeOperationError
 */
export function requireOwnId(context: IPollFunctions): void {
  const { id, name, type } = context.getNode();
  const { nodes: all } = workflowIn(context);
  const nodes = isRecord(all) ? Object.values(all).filter(isRecord) : [];
  const others = nodes.filter((node) => node.name !== name && node.disabled !== true);
  const twin = others.find((node) => node.id === id && node.type === type);
  if (twin !== undefined) throw twinRefused(context.getNode(), textOf(twin.name));
}

/**
 * Starts forms of which nothing is known:
 * - At Start From, if this is the first publication and the option is set.
 * - At its creation, if the whole workspace is watched and the form is new.
 * - Otherwise after its newest page: what that page shows, and all that is older, is never emitted.
 *
 * @param unknown the forms, without state
 * @param beginning whether the trigger itself is new (`isFirst`), and else what is known of the other forms (`state`)
 * @returns the forms with their states. One that cannot be read has its failure. With Whole Workspace, it starts at the present time
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
    const sinceCreation = isNewForm ? createdMs : undefined;
    const since = isFirst ? startFrom : sinceCreation;
    if (since !== undefined) return { ...form, state: { cursor: cursorFrom(since) } };
    try {
      // `count` is from before this request. If a submission arrives in between, the next list has another count, and the form is read.
      return { ...form, isRead: true, state: { cursor: await afterNewest(session, formId, maxKnown), count } };
    } catch (error) {
      const failure = toPollError(session.node, error);
      if (hasStatus(failure, '401')) throw failure;
      const now = secondOf(session.earlierTime() ?? session.clock.now());
      const fromNow = triggerOn === 'allActive' ? { cursor: cursorFrom(now), count } : undefined;
      // It is not tried again in this poll, hence `isRead`.
      return { ...form, isRead: true, state: fromNow, failure };
    }
  };
  return await Promise.all(unknown.map(begin));
}

/**
 * The cursor of a form that starts after its newest page: what the page shows counts as known.
 *
 * @throws NodeApiError when the page cannot be read; UserError when it is empty although the form has submissions
 */
async function afterNewest(session: PollSession, formId: string, maxKnown: number): Promise<Cursor> {
  const { rows, total, isFull } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
  // Without any row, the window would have to begin in 1970, and everything that the page did not show would be new.
  if (rows.length === 0 && total > 0) throw endsTooSoon('submissions', 0, total);
  // If there are older submissions, the window begins a millisecond after the oldest one of the page. The next page may show others of that same
  // millisecond, which must not count as new.
  const from = isFull || rows.length < total ? (rows.at(-1)?.createdMs ?? 0) + 1 : 0;
  const known = rows.filter(({ createdMs }) => createdMs >= from);
  // The cursor is the same as if a poll had emitted what the page shows.
  const read = { rows: new Map(), until: Infinity, now: session.earlierTime(), isWindowSeen: true };
  return nextCursor(cursorFrom(from), read, known, maxKnown);
}
