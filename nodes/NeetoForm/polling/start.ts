/** How a trigger starts: which polls belong to an activation, and where forms begin of which nothing is known. */

import type { IPollFunctions } from 'n8n-workflow';
import { PAGE_SIZE } from '../api/endpoints';
import { hasStatus } from '../api/errors';
import { isRecord, textOf } from '../json';
import { cursorFrom, maxKnownOf, nextCursor, secondOf, type Cursor } from './cursor';
import type { WatchedForms } from './forms';
import { firstLookedAt, formMemory } from './memory';
import { toPollError, twinRefused, type PollError } from './messages';
import type { FormFailure } from './reports';
import { budgetOf, MAX_BUDGET_MS, type PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState, StateAtStart } from './state';

/** What a poll belongs to: somebody publishes the workflow, or n8n starts. */
export type Activation = 'publication' | 'start';

/** @returns undefined for a scheduled poll. Called once in each poll. */
export function activationOf({ context, memory }: PollSession): Activation | undefined {
  // n8n's timers keep one context from the activation on.
  if (memory.context === context) return undefined;
  memory.context = context;
  const mode = context.getActivationMode();
  if (mode === 'init' || mode === 'leadershipChange') return 'start';
  // The polls of n8n's scheduler are updates, too, with a context each; but they have not the budget of a publication.
  const isScheduled = mode === 'update' && (budgetOf(context) ?? Infinity) <= MAX_BUDGET_MS;
  return mode === 'activate' || (mode === 'update' && !isScheduled) ? 'publication' : undefined;
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
  const isTwin = (node: Record<string, unknown>) => node.id === id && node.type === type && node.disabled !== true;
  const twin = nodes.find((node) => isTwin(node) && node.name !== name);
  if (twin !== undefined) throw twinRefused(context.getNode(), textOf(twin.name));
}

/**
 * Starts each form of which nothing is known: at Start From, when this is the first publication; at its creation, when it was created
 * since the last list of forms; else behind its newest page. With Whole Workspace, a form that cannot be read starts now, by the earlier
 * of both clocks; one that was chosen does not start.
 *
 * @returns the forms that start, those of them that begin in the past and have something to read now, and those that could not be read
 */
export async function startForms(
  session: PollSession,
  { triggerOn, startFrom }: TriggerSettings,
  { forms: watched, listed }: WatchedForms,
  { isFirst, state }: Pick<StateAtStart, 'isFirst' | 'state'>,
) {
  const unknown = [...watched].flatMap(([formId, known]) => (known === undefined ? [formId] : []));
  const maxKnown = maxKnownOf(unknown.map(() => PAGE_SIZE));
  const since = (formId: string): number | undefined => {
    const { createdMs = 0 } = listed?.get(formId) ?? {};
    const isNew = triggerOn === 'allActive' && createdMs > (state?.listedTo ?? Infinity);
    return isFirst && startFrom !== undefined ? startFrom : isNew ? createdMs : undefined;
  };
  const unread = new Set(unknown.filter((formId) => since(formId) !== undefined));
  const begin = async (formId: string) => {
    const ms = since(formId);
    return ms === undefined ? await behindNewest(session, formId, maxKnown) : { cursor: cursorFrom(ms) };
  };
  const begun = await Promise.all(unknown.map(begin));
  const forms = new Map<string, FormState>();
  const failures: FormFailure[] = [];
  const now = session.clock.now();
  const earlier = cursorFrom(secondOf(session.earlierClock() ?? now));
  for (const [index, formId] of unknown.entries()) {
    const { failure, cursor = triggerOn === 'allActive' ? earlier : undefined } = begun[index] ?? {};
    if (failure !== undefined) failures.push({ formId, failure });
    if (cursor === undefined) continue;
    // What arrived since the list was read is known, or changes the count.
    forms.set(formId, { cursor, count: unread.has(formId) ? undefined : listed?.get(formId)?.count });
    formMemory(session.memory, formId).lookedAt = firstLookedAt(now, index, unknown.length);
  }
  return { forms, unread, failures };
}

/**
 * The cursor behind a form's newest page, which is known. When there are older submissions, the window begins a millisecond after the
 * oldest of the page, which may have twins on the next.
 */
async function behindNewest(
  session: PollSession,
  formId: string,
  maxKnown: number,
): Promise<{ cursor?: Cursor; failure?: PollError }> {
  try {
    const { rows, total } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
    const isAll = rows.length < PAGE_SIZE && rows.length >= total;
    const from = isAll ? 0 : (rows.at(-1)?.createdMs ?? 0) + 1;
    const known = rows.filter(({ createdMs }) => createdMs >= from);
    const read = {
      rows: new Map(known.map((row) => [row.id, row])),
      until: Infinity,
      now: session.earlierClock(),
      isWindowSeen: true,
    };
    return { cursor: nextCursor(cursorFrom(from), read, known, maxKnown) };
  } catch (error) {
    const failure = toPollError(session.node, error);
    if (hasStatus(failure, '401')) throw failure;
    return { failure };
  }
}
