/** Which forms a poll watches, what is known of each, and what the list of forms says of it. */

import { hasStatus, UnexpectedResponse } from '../api/errors';
import type { Row } from '../api/parse';
import { numberOf, oneLine } from '../json';
import { RECENT_MS, WINDOW_MS, type FormState, type TriggerState } from './cursor';
import { toPollError, type PollError } from './messages';
import type { PollSession } from './session';

/** A form that a poll watches. */
export interface WatchedForm {
  formId: string;
  /** Undefined when nothing is known of it. */
  state?: FormState;
  /** What the list of forms says: `submissions_count`, and the title on one line. Undefined when that list was not read, or lacks the form. */
  count?: number;
  title?: string;
  /** ms: creation time of the form, with Whole Workspace. */
  createdMs?: number;
  /** Whether its state is kept without reading it: the list lacks it, or it rests since it had been archived for a week. */
  isResting?: boolean;
  /** Whether it has been archived for a week, and rests once all of it is shown. */
  mayRest?: boolean;
  /** Whether this poll has requested its newest page, to start it. Then the poll does not read the form again. */
  isRead?: boolean;
  /** Why the form could not be read to its end. What was read before that is emitted. */
  failure?: PollError;
}

/**
 * Finds the forms that a poll watches.
 *
 * @param state what is known of the forms
 * @returns the forms, each with its state; and with Whole Workspace also `listedTo` for the next state
 * @throws NodeApiError or UserError when the list of forms of a whole workspace cannot be read; NodeApiError when the key is refused
 */
export async function watchedForms(
  session: PollSession,
  state: TriggerState | undefined,
): Promise<{ forms: WatchedForm[]; listedTo?: number }> {
  const { triggerOn, formIds } = session.settings;
  const states = new Map(Object.entries(state?.forms ?? {}));
  if (triggerOn === 'allActive') {
    const listed = await session.readForms();
    // Without its creation time, a new form would count as old, and its first submissions would be lost.
    if ([...listed.values()].some(({ createdMs }) => Number.isNaN(createdMs)))
      throw toPollError(session.node, new UnexpectedResponse("a form has no 'created_at'"));
    // Clocks may be set back. If `listedTo` went back with them, old forms would count as new, with all their submissions.
    const listedTo = Math.max(state?.listedTo ?? 0, listCompleteTo(session, listed));
    return { forms: workspaceForms(session, listed, states, state?.listedTo ?? listedTo), listedTo };
  }
  // The list tells which of the chosen forms have news. Without it, all of them are read.
  const reading = triggerOn === 'several' ? session.readForms({ retries: false }) : undefined;
  const listed = await reading?.catch((error: unknown) => {
    if (hasStatus(error, '401')) throw error;
    return undefined;
  });
  // A form that was chosen is never gone. If the whole workspace is watched again later, and the form is gone, its week begins then.
  for (const formId of formIds) delete states.get(formId)?.gone;
  return {
    forms: formIds.map((formId) => ({ formId, ...toldBy(listed?.get(formId)), state: states.get(formId) })),
  };
}

/** What the list of forms says of a form. Nothing where the form is not in the list. */
function toldBy(listed: Row | undefined): Pick<WatchedForm, 'count' | 'title'> {
  return listed === undefined
    ? {}
    : { count: numberOf(listed.data.submissions_count), title: oneLine(listed.data.title) };
}

/** The forms of a whole workspace: those of the list, and for a week those that the list lacks. @param before `listedTo` of the last poll (ms) */
function workspaceForms(
  session: PollSession,
  listed: Map<string, Row>,
  states: Map<string, FormState>,
  before: number,
): WatchedForm[] {
  const now = session.earlierTime() ?? session.clock.now();
  const forms: WatchedForm[] = [];
  for (const [formId, row] of listed) {
    const state = states.get(formId);
    const isArchived = row.data.is_archived === true;
    // Of the unknown forms that are archived, only new ones are watched: they may have submissions from the time before they were archived.
    if (state === undefined && isArchived && row.createdMs <= before) continue;
    const gone = isArchived ? (state?.gone ?? { since: now }) : undefined;
    const mayRest = gone !== undefined && now - gone.since >= WINDOW_MS;
    const { createdMs } = row;
    const known = state && { ...state, gone };
    forms.push({ formId, ...toldBy(row), createdMs, isResting: gone?.rests, mayRest, state: known });
  }
  for (const [formId, state] of states) {
    const { gone = { since: now } } = state;
    const isKept = !listed.has(formId) && now - gone.since < WINDOW_MS;
    if (isKept) forms.push({ formId, isResting: true, state: { ...state, gone } });
  }
  return forms;
}

/**
 * A time (ms), 15 to 30 minutes ago: every form that was created before it is certainly in the list. It changes only every 15 minutes, so that
 * not every poll has something to store.
 */
function listCompleteTo({ earlierTime, clock }: PollSession, listed: Map<string, Row>): number {
  // Where the service does not tell its time, its newest form does. The local clock may be ahead, and then later forms would not count as new.
  const newest = Math.max(0, ...[...listed.values()].map(({ createdMs }) => createdMs));
  const present = earlierTime() ?? Math.min(newest, clock.now());
  return present - (present % RECENT_MS) - RECENT_MS;
}
