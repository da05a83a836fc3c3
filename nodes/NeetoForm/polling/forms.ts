/** Which forms a poll watches, and from where it reads a form of which nothing is known. */

import { PAGE_SIZE } from '../api/endpoints';
import { hasStatus, UnexpectedResponse, type NodeError } from '../api/errors';
import { toNodeError } from '../api/messages';
import type { Row } from '../api/parse';
import { numberOf, oneLine } from '../json';
import { endsTooSoon } from '../lists/list';
import { cursorFrom, maxKnownOf, nextCursor, RECENT_MS, secondOf, WINDOW_MS, type FormState } from './cursor';
import { formMemory, spreadLook } from './memory';
import type { PollSession } from './session';
import type { StateAtStart } from './state';

export interface WatchedForm {
  formId: string;
  /** Undefined when nothing is known of it. */
  state?: FormState;
  /** From the list of forms: its `submissions_count`, its title, and with Whole Workspace its creation time. */
  count?: number;
  title?: string;
  createdMs?: number;
  /** Whether it is archived, in a whole workspace. Then it is read, with its whole window, only when its count changes. */
  isArchived?: boolean;
  /** Whether this poll has just started the form, by requesting its newest page. Then this poll does not read the form again. */
  isJustStarted?: boolean;
  /** Why the form could not be read to its end. What was read before that is emitted. */
  failure?: NodeError;
}

/** Finds the forms that a poll watches, each with its state. @throws NodeApiError or UserError when the list of a whole workspace cannot be read */
export async function watchedForms(session: PollSession, state: StateAtStart['state']) {
  const { triggerOn, formIds } = session.settings;
  const states = new Map(Object.entries(state?.forms ?? {}));
  if (triggerOn === 'allActive') {
    const listed = await session.readForms();
    // Without its creation time, a new form would count as old, and its first submissions would be lost.
    if ([...listed.values()].some(({ createdMs }) => Number.isNaN(createdMs)))
      throw toNodeError(session.node, new UnexpectedResponse("a form has no 'created_at'"));
    // If `listedTo` went back with a clock that was set back, old forms would count as new, with all their submissions.
    const listedTo = Math.max(state?.listedTo ?? 0, listCompleteTo(session, listed));
    const now = session.presentTime() ?? session.clock.now();
    return { forms: workspaceForms(listed, states, state?.listedTo ?? listedTo, now), listedTo };
  }
  // The list tells which of the chosen forms have news. Without it, all of them are read.
  const reading = triggerOn === 'several' ? session.readForms({ retryLimitMs: 0 }) : undefined;
  const listed = await reading?.catch((error: unknown) => {
    if (hasStatus(error, '401')) throw error;
    return undefined;
  });
  // A chosen form is never missing. If the whole workspace is watched again later, and its list lacks the form, its week begins then.
  for (const formId of formIds) delete states.get(formId)?.missingSince;
  const forms = formIds.map((formId) => ({ formId, ...toldBy(listed?.get(formId)), state: states.get(formId) }));
  return { forms };
}

function toldBy(listed: Row | undefined): Pick<WatchedForm, 'count' | 'title'> | undefined {
  return listed && { count: numberOf(listed.data.submissions_count), title: oneLine(listed.data.title) };
}

/** The forms of a whole workspace: those of the list, and for a week those that the list lacks. */
function workspaceForms(listed: Map<string, Row>, states: Map<string, FormState>, lastListedTo: number, now: number) {
  const forms: WatchedForm[] = [];
  for (const [formId, row] of listed) {
    const state = states.get(formId);
    const isArchived = row.data.is_archived === true;
    // An unknown form that is archived is watched only if it is new: it may have submissions from the time before it was archived.
    if (state === undefined && isArchived && row.createdMs <= lastListedTo) continue;
    const watched = { formId, ...toldBy(row), createdMs: row.createdMs, isArchived };
    forms.push({ ...watched, state: state && { ...state, missingSince: undefined } });
  }
  for (const [formId, state] of states) {
    const { missingSince = now } = state;
    if (!listed.has(formId) && now - missingSince < WINDOW_MS)
      forms.push({ formId, state: { ...state, missingSince } });
  }
  return forms;
}

/** Whether a form may have news: its count has changed, or is not known. */
export function mayHaveNews({ count, state, isArchived = false }: WatchedForm): boolean {
  return count === undefined ? !isArchived : count !== state?.count;
}

/** Whether a poll has nothing to read of a form: it is missing, or archived and without news. */
export function isIdle(form: WatchedForm): boolean {
  return form.state?.missingSince !== undefined || (form.isArchived === true && !mayHaveNews(form));
}

/** A time 15 to 30 minutes ago: the list has all forms that were created before that time. It is rounded, so that polls rarely have to store it. */
function listCompleteTo({ presentTime, clock }: PollSession, listed: Map<string, Row>): number {
  // Where the service does not tell its time, its newest form does. The local clock may be ahead, and then later forms would not count as new.
  const newest = Math.max(0, ...[...listed.values()].map(({ createdMs }) => createdMs));
  const present = presentTime() ?? Math.min(newest, clock.now());
  return present - (present % RECENT_MS) - RECENT_MS;
}

/**
 * Starts each form of which nothing is known:
 * - At Start From, if this is the first publication and the option is set.
 * - At its creation, if the whole workspace is watched and the form is new.
 * - Otherwise after its newest page: what that page shows, and all that is older, is never emitted.
 *
 * @returns all forms. One that cannot be started has its failure, and with Whole Workspace starts at the present time
 * @throws NodeApiError when the key is refused
 */
export async function startForms(session: PollSession, forms: WatchedForm[], beginning: StateAtStart) {
  const { triggerOn, startFrom } = session.settings;
  const unknown = forms.filter(({ state }) => state === undefined);
  // A form that is started knows one page of IDs at most.
  const maxKnown = maxKnownOf(unknown.map(() => PAGE_SIZE));
  const start = async (form: WatchedForm, index: number): Promise<WatchedForm> => {
    const { formId, count, createdMs = 0 } = form;
    formMemory(session.memory, formId).lookedAt = spreadLook(session.clock.now(), index / unknown.length);
    // If the whole workspace was not watched before, no form counts as new.
    const sinceCreation = createdMs > (beginning.state?.listedTo ?? Infinity) ? createdMs : undefined;
    const since = beginning.isFirst ? startFrom : sinceCreation;
    if (since !== undefined) return { ...form, state: { cursor: cursorFrom(since) } };
    try {
      // `count` is from before this request. If a submission arrives in between, the next list has another count, and the form is read.
      return { ...form, isJustStarted: true, state: { cursor: await afterNewest(session, formId, maxKnown), count } };
    } catch (error) {
      const failure = toNodeError(session.node, error);
      if (hasStatus(failure, '401')) throw failure;
      const now = secondOf(session.presentTime() ?? session.clock.now());
      // A chosen form gets no state: an activation then fails, and a scheduled poll leaves the form to the next one.
      const fromNow = triggerOn === 'allActive' ? { cursor: cursorFrom(now), count } : undefined;
      return { ...form, isJustStarted: true, state: fromNow, failure };
    }
  };
  const started = await Promise.all(unknown.map(start));
  return [...forms.filter(({ state }) => state !== undefined), ...started];
}

/** The cursor of a form whose newest page counts as emitted. @throws NodeApiError; UserError when the page is empty, and its total is not 0 */
async function afterNewest(session: PollSession, formId: string, maxKnown: number): Promise<FormState['cursor']> {
  const { rows, total, isFull } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
  // Without any row, the window would have to begin in 1970, and everything that the page did not show would be new.
  if (rows.length === 0 && total > 0) throw endsTooSoon('submissions', 0, total);
  // If there is a page 2, the window begins 1 ms after the last row of page 1: page 2 may have others of its millisecond, which must not be new.
  const from = isFull || rows.length < total ? (rows.at(-1)?.createdMs ?? 0) + 1 : 0;
  const known = rows.filter(({ createdMs }) => createdMs >= from);
  const read = { rows: new Map(), until: Infinity, now: session.presentTime(), isWindowSeen: true };
  return nextCursor(cursorFrom(from), read, known, maxKnown);
}
