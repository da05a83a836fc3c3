/** Which forms a poll watches, what is known of each, and what the list of forms says of it. */

import { hasStatus } from '../api/errors';
import type { Row } from '../api/parse';
import { numberOf, oneLine } from '../json';
import { RECENT_MS, WINDOW_MS, type FormState, type TriggerState } from './cursor';
import type { PollError } from './messages';
import type { PollSession } from './session';

/** A form that a poll watches. */
export interface WatchedForm {
  formId: string;
  /** Undefined when nothing is known of it. */
  state?: FormState;
  /** Its `submissions_count` and creation time (ms) in the list of forms; undefined when that was not read, or lacks it. */
  count?: number;
  createdMs?: number;
  /** Its title in that list, on one line; '' when that lacks it, undefined when that was not read, or lacks the form. */
  title?: string;
  /** Whether nothing can appear in it: the list lacks it, or it has been archived for a week and was read to its end. */
  isResting?: boolean;
  /** Whether this poll, which starts it, has read it already, or tried to. */
  isRead?: boolean;
  /** Why it could not be read to its end. What was read before stays, once its title and questions are known. */
  failure?: PollError;
}

/**
 * Finds the forms that a poll watches. With Several Forms, the list of forms only tells which have news: it may fail.
 *
 * @returns with Whole Workspace also `listedTo`: a form that was created later is new to the next poll
 * @throws NodeApiError when the whole workspace is watched and its list of forms cannot be read, or the key is refused
 */
export async function watchedForms(
  session: PollSession,
  state: TriggerState | undefined,
): Promise<{ forms: WatchedForm[]; listedTo?: number }> {
  const { triggerOn, formIds } = session.settings;
  const states = new Map(Object.entries(state?.forms ?? {}));
  if (triggerOn === 'allActive') {
    const listed = await session.readForms();
    // It never goes back, whatever the clocks say: forms that were old would be taken for new, with all that is in them.
    const listedTo = Math.max(state?.listedTo ?? 0, settledTime(session, listed));
    return { forms: workspaceForms(session, listed, states, state?.listedTo ?? listedTo), listedTo };
  }
  const reading = triggerOn === 'several' ? session.readForms(true) : undefined;
  const listed = await reading?.catch((error: unknown) => {
    if (hasStatus(error, '401')) throw error;
    return undefined;
  });
  // A form that was chosen is read whatever the list says of it: it is not gone.
  for (const formId of formIds) delete states.get(formId)?.goneSince;
  return {
    forms: formIds.map((formId) => ({ formId, ...toldBy(listed?.get(formId)), state: states.get(formId) })),
  };
}

/** What the list of forms tells of a form, whichever forms are watched. */
function toldBy(listed: Row | undefined): Pick<WatchedForm, 'count' | 'title'> {
  return listed === undefined
    ? {}
    : { count: numberOf(listed.data.submissions_count), title: oneLine(listed.data.title) };
}

/** With Whole Workspace: the forms of the list, and for a week those that it lacks. @param before `listedTo` of the last poll (ms) */
function workspaceForms(
  session: PollSession,
  listed: Map<string, Row>,
  states: Map<string, FormState>,
  before: number,
): WatchedForm[] {
  const now = session.earlierClock() ?? session.clock.now();
  const forms: WatchedForm[] = [];
  for (const [formId, row] of listed) {
    const state = states.get(formId);
    const isArchived = row.data.is_archived === true;
    // One that may have been created and archived between two polls is watched; others only once they are restored.
    if (state === undefined && isArchived && row.createdMs <= before) continue;
    const goneSince = isArchived ? (state?.goneSince ?? now) : undefined;
    // A form with a count was read to its end.
    const isResting = state?.count !== undefined && goneSince !== undefined && now - goneSince >= WINDOW_MS;
    const { createdMs } = row;
    forms.push({ formId, ...toldBy(row), createdMs, isResting, state: state && { ...state, goneSince } });
  }
  for (const [formId, state] of states) {
    const { goneSince = now } = state;
    const isKept = !listed.has(formId) && now - goneSince < WINDOW_MS;
    if (isKept) forms.push({ formId, isResting: true, state: { ...state, goneSince } });
  }
  return forms;
}

/** Up to when a list certainly shows the forms that were created: the same for a while, so that not every poll has something to store. */
function settledTime({ earlierClock, clock }: PollSession, listed: Map<string, Row>): number {
  // Where the service does not tell its time, its newest form does: a local clock that is ahead must not make new forms old.
  const newest = Math.max(0, ...[...listed.values()].map(({ createdMs }) => createdMs));
  const present = earlierClock() ?? Math.min(newest, clock.now());
  return present - (present % RECENT_MS) - RECENT_MS;
}
