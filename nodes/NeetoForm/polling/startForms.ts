/** Where a trigger starts in the forms of which it knows nothing. */

import { inOrder } from '../api/inOrder';
import { hasStatus } from '../api/errors';
import { PAGE_SIZE } from '../api/endpoints';
import { maxKnownOf, nextBatch, secondOf, WINDOW_MS, type Cursor } from './batch';
import { LOOK_MS } from './lateFinishers';
import { isNewForm, type WatchedForms } from './forms';
import { readNewest } from './newest';
import type { FormFailure } from './reports';
import { startInFuture, toPollError } from './messages';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState } from './state';

/** ms for the forms to start, where others wait to be read. */
const START_MS = 8_000;

/** The forms that a poll starts with. */
interface StartedForms {
  forms: Map<string, FormState>;
  /** Forms that could not be read. */
  failures: FormFailure[];
  /** Whether the service has answered, or a form starts at a time that no later poll finds again. */
  hasProgress: boolean;
}

/**
 * Starts each form of which nothing is known: at Start From, when this is the first publication; at its creation, when it was created
 * since the last list of forms; else behind its newest page. A form that cannot be read starts at the service's time, or at that of the
 * local clock when that is earlier, so that a publication makes progress, unless nothing can be read.
 *
 * @param listedTo ms: up to when the last list showed the forms that were created
 * @param isFirst whether no state of this node exists
 * @throws NodeApiError when the key is refused, or a chosen form cannot be started at all
 */
export async function startForms(
  session: PollSession,
  { triggerOn, startFrom }: TriggerSettings,
  { forms: watched, list }: WatchedForms,
  listedTo: number | undefined,
  { isFirst, isActivation }: { isFirst: boolean; isActivation: boolean },
): Promise<StartedForms> {
  const forms = new Map<string, FormState>();
  const failures: FormFailure[] = [];
  const behindNewest: string[] = [];
  for (const [formId, known] of watched) {
    if (known !== undefined) continue;
    const form = list?.forms.get(formId);
    const isNew = triggerOn === 'allActive' && form !== undefined && isNewForm(form, listedTo);
    const since = isFirst && startFrom !== undefined ? startFrom : isNew ? form.createdMs : undefined;
    if (since === undefined) behindNewest.push(formId);
    else forms.set(formId, { cursor: cursorFrom(since) });
  }
  // Those that are known must not wait for one that does not respond.
  const isAlone = behindNewest.length === watched.size;
  const deadline = isAlone ? undefined : session.clock.timeout(START_MS);
  const start = async (index: number) => await startBehindNewest(session, behindNewest[index] ?? '', deadline);
  const unread: string[] = [];
  for await (const { formId, cursor, failure } of inOrder(behindNewest.length, start)) {
    if (failure !== undefined) {
      requireNoMistake([{ formId, failure }], triggerOn, isActivation);
      failures.push({ formId, failure });
    }
    // What arrived since the list was read is known or changes the count.
    if (cursor !== undefined) forms.set(formId, { cursor, count: list?.forms.get(formId)?.count });
    else unread.push(formId);
  }
  const isAnswered = session.serverTime !== undefined;
  const mayStartUnread = !isAlone || forms.size > 0 || isAnswered;
  // The earlier of both clocks: from one that is ahead, a form would miss what comes until then.
  const now = secondOf(Math.min(session.serverTime ?? Infinity, session.clock.now()));
  if (mayStartUnread) for (const formId of unread) forms.set(formId, { cursor: cursorFrom(now) });
  const hasProgress = forms.size > 0 && (isAnswered || behindNewest.some((formId) => forms.has(formId)));
  return { forms: withinLimits(session, forms), failures, hasProgress };
}

/**
 * A key that is refused, and a chosen form that does not exist, are mistakes to tell at once.
 *
 * @param failures of forms of which nothing is known
 * @throws the failure that tells of a mistake
 */
export function requireNoMistake(
  failures: FormFailure[],
  triggerOn: TriggerSettings['triggerOn'],
  isActivation: boolean,
): void {
  const ofChosen = triggerOn === 'one' ? ['403', '404'] : triggerOn === 'several' && isActivation ? ['404'] : [];
  const mistake = failures.find(({ failure }) => hasStatus(failure, '401', ...ofChosen));
  if (mistake !== undefined) throw mistake.failure;
}

/** Refuses a Start From that neither clock has reached: it would leave out every submission until then. @throws NodeOperationError */
export function requirePast(session: PollSession, { startFrom }: TriggerSettings): void {
  if (startFrom === undefined || startFrom <= Math.max(session.clock.now(), session.serverTime ?? 0)) return;
  throw startInFuture(session, startFrom);
}

async function startBehindNewest(
  session: PollSession,
  formId: string,
  deadline?: AbortSignal,
): Promise<{ formId: string; cursor?: Cursor; failure?: FormFailure['failure'] }> {
  if (session.isTimeUp) return { formId };
  try {
    return { formId, cursor: await cursorBehindNewest(session, formId, deadline) };
  } catch (error) {
    return { formId, failure: toPollError(session.node, error) };
  }
}

/**
 * The cursor behind a form's newest page. What is on it is known; what it does not show is outside the window: when it is full, the
 * window begins a millisecond after its oldest row, which may have twins on the next page.
 */
async function cursorBehindNewest(session: PollSession, formId: string, deadline?: AbortSignal): Promise<Cursor> {
  const { rows, isFull, serverTime = 0 } = await readNewest(session, formId, PAGE_SIZE, deadline);
  const oldest = Math.min(...rows.map(({ createdMs }) => createdMs));
  const weekAgo = Math.min(serverTime, session.clock.now()) - WINDOW_MS;
  const from = Math.max(0, weekAgo, isFull ? oldest + 1 : 0);
  const known = rows.filter(({ createdMs }) => createdMs >= from);
  return { ...cursorFrom(from), known: new Map(known.map(({ id, createdMs }) => [id, createdMs])) };
}

/** A cursor to which everything created at a time (ms) or later is new. */
function cursorFrom(ms: number): Cursor {
  return { from: ms, recent: ms, look: ms, known: new Map() };
}

/** As many IDs as a state may have; and the looks at the windows spread evenly, so that no poll makes all of them. */
function withinLimits({ clock, serverTime }: PollSession, forms: Map<string, FormState>): Map<string, FormState> {
  const now = clock.now();
  const maxKnown = maxKnownOf([...forms.values()].map(({ cursor }) => cursor.known.size));
  const read = { rows: new Map(), until: Infinity, lookedTo: Infinity, serverTime };
  return new Map(
    [...forms].map(([formId, form], index) => {
      // A form that starts in the past has nothing to forget.
      const cursor =
        form.cursor.known.size === 0 ? form.cursor : nextBatch(form.cursor, read, { quota: 0, maxKnown, now }).cursor;
      return [formId, { ...form, cursor, lookedAt: now - Math.floor((LOOK_MS * index) / forms.size) }];
    }),
  );
}
