/** Where a trigger starts in the forms of which it knows nothing. */

import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { inOrder } from '../api/inOrder';
import { PAGE_SIZE } from '../api/endpoints';
import { readAll } from '../api/completeList';
import type { Row } from '../api/parse';
import { maxKnownOf, nextBatch, WINDOW_MS, type Cursor } from './batch';
import { isNewForm, tooSlow, type WatchedForms } from './forms';
import { isInOrder, isWhole } from './looks';
import type { FormFailure } from './reports';
import { formSubject, hasStatus, toPollError, type PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState, TriggerState } from './state';
import { LOOK_MS } from './due';

/** The forms that a poll starts with. */
export interface StartedForms {
  /** Those that start in the past: this poll reads them already. */
  past: Map<string, FormState>;
  /** Those that start with their new submissions. */
  fresh: Map<string, FormState>;
  failures: FormFailure[];
}

/**
 * Starts each form of which nothing is known: at Start From, when this is the first publication; at its creation, when it was created
 * since the last list of forms; else behind its newest page. A form that cannot be read starts at the service's time, so that a
 * publication makes progress.
 *
 * @param state undefined when nothing is known of the workspace
 * @param isFirst whether no state of this node exists
 * @throws NodeApiError when the key is refused, or a chosen form cannot be started at all
 */
export async function startForms(
  session: PollSession,
  { triggerOn, startFrom }: TriggerSettings,
  { forms, list }: WatchedForms,
  state: TriggerState | undefined,
  { isFirst, isActivation }: { isFirst: boolean; isActivation: boolean },
): Promise<StartedForms> {
  const started: StartedForms = { past: new Map(), fresh: new Map(), failures: [] };
  const unknown = [...forms].filter(([, known]) => known === undefined).map(([formId]) => formId);
  const newestOf: string[] = [];
  for (const formId of unknown) {
    const form = list?.forms.get(formId);
    const isNew = triggerOn === 'allActive' && form !== undefined && isNewForm(form, state?.newestForm);
    const since = isFirst && startFrom !== undefined ? startFrom : isNew ? form.createdMs : undefined;
    if (since === undefined) newestOf.push(formId);
    else started.past.set(formId, stateOf(cursorFrom(since)));
  }
  const start = async (index: number) => await startBehindNewest(session, newestOf[index] ?? '');
  for await (const { formId, cursor, failure } of inOrder(newestOf.length, start)) {
    if (failure !== undefined) {
      const isGone = isActivation && triggerOn === 'several' && hasStatus(failure, '404');
      if (triggerOn === 'one' || isGone || hasStatus(failure, '401')) throw failure;
      started.failures.push({ formId, failure });
    }
    const from = cursor ?? (session.serverTime === undefined ? undefined : cursorFrom(session.serverTime));
    // What arrived since the list was read is known or changes the count.
    const count = cursor === undefined ? undefined : list?.forms.get(formId)?.count;
    if (from !== undefined) started.fresh.set(formId, stateOf(from, count));
    else if (triggerOn === 'one') throw tooSlow(session, "the form's newest submissions");
  }
  spreadLooks(session, [...started.past.values(), ...started.fresh.values()]);
  const fresh = [...started.fresh.values()];
  const limits = { quota: 0, maxKnown: maxKnownOf(fresh.map(({ cursor }) => cursor)), now: session.clock.now() };
  const read = { rows: [], until: Infinity, serverTime: session.serverTime };
  for (const form of fresh) form.cursor = nextBatch(form.cursor, read, limits).cursor;
  return started;
}

async function startBehindNewest(
  session: PollSession,
  formId: string,
): Promise<{ formId: string; cursor?: Cursor; failure?: NodeApiError | NodeOperationError }> {
  if (session.isTimeUp) return { formId };
  try {
    return { formId, cursor: await cursorBehindNewest(session, formId) };
  } catch (error) {
    return { formId, failure: toPollError(session.node, error) };
  }
}

/**
 * The cursor behind a form's newest page. What is on it is known; what it does not show is outside the window: when it is full, the
 * window begins a millisecond after its oldest row, which may have twins on the next page.
 */
async function cursorBehindNewest(session: PollSession, formId: string): Promise<Cursor> {
  const query = { order: 'desc', page: 1 } as const;
  const page = await session.readSubmissions(formId, query);
  // The totals of a full page may count the page only.
  const isFull = page.rows.length >= PAGE_SIZE || !(await isWhole(session, formId, query, page));
  const isNewest = !isFull || (await isInOrder(session, formId, query, page));
  const rows = isNewest ? page.rows : await readNewest(session, formId);
  const oldest = Math.min(...rows.map(({ createdMs }) => createdMs));
  const weekAgo = (page.serverTime ?? 0) - WINDOW_MS;
  const from = Math.max(0, weekAgo, isFull ? oldest + 1 : 0);
  const known = rows.filter(({ createdMs }) => createdMs >= from);
  return { from, recent: from, look: from, known: new Map(known.map(({ id, createdMs }) => [id, createdMs])) };
}

/** The newest page of a service that ignores the order: the whole list tells. */
async function readNewest(session: PollSession, formId: string): Promise<Row[]> {
  const readPage = async (page: number, signal?: AbortSignal) =>
    await session.readSubmissions(formId, { order: 'desc', page }, signal);
  const { results, isComplete } = await session.parse(
    formSubject(formId),
    async () => await readAll({ readPage, pick: (row) => row }, { mayContinue: () => !session.isTimeUp }),
  );
  if (!isComplete) throw tooSlow(session, "the form's newest submissions");
  return results.sort((a, b) => b.createdMs - a.createdMs).slice(0, PAGE_SIZE);
}

/** A cursor to which everything created at a time (ms) or later is new. */
function cursorFrom(ms: number): Cursor {
  return { from: ms, recent: ms, look: ms, known: new Map() };
}

function stateOf(cursor: Cursor, count?: number): FormState {
  return { cursor, life: { status: 'active' }, count };
}

/** Spreads the looks at the windows evenly over the time between two of them, so that no poll makes all of them. */
function spreadLooks({ clock }: PollSession, forms: FormState[]): void {
  const now = clock.now();
  forms.forEach((form, index) => {
    form.lookedAt = now - Math.floor((LOOK_MS * index) / forms.length);
  });
}
