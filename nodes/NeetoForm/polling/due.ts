/** Which forms a poll reads: those with something recent, and those whose window is to be looked at for late finishers. */

import { WINDOW_MS } from './batch';
import type { FormList } from './forms';
import { pagesDue } from './lateFinishers';
import type { FormState } from './state';

/** A form to read in this poll. */
export interface DueForm {
  formId: string;
  state: FormState;
  /** Whether something recent may be new. */
  isQuickDue: boolean;
  /** How many pages of the window are to be looked at; 0 when none is due, Infinity for all. */
  windowPages: number;
}

/**
 * The forms to read in a poll: first those with something recent, beginning where the last poll stopped; then those whose windows
 * are due, beginning with the one that has waited longest.
 *
 * @param list undefined when it was not read
 * @param now ms, the local clock
 * @param position ID of the form with which to begin
 */
export function dueForms(
  forms: Map<string, FormState>,
  list: FormList | undefined,
  now: number,
  position = '',
): DueForm[] {
  const due = [...forms]
    .filter(([, state]) => list === undefined || !isResting(state, list.readAt))
    .map(([formId, state]) => {
      const windowPages = pagesDue(state, now);
      // What is recent does not wait for a window of several pages.
      const isPartLook = windowPages > 0 && windowPages < Infinity;
      const isQuickDue = isPartLook || hasNews(state, list?.forms.get(formId)?.count);
      return { formId, state, isQuickDue, windowPages };
    })
    .sort((a, b) => (a.formId < b.formId ? -1 : 1));
  const quick = due.filter(({ isQuickDue }) => isQuickDue);
  const lastLook = ({ state }: DueForm) => state.lookedAt ?? 0;
  return [
    ...quick.filter(({ formId }) => formId >= position),
    ...quick.filter(({ formId }) => formId < position),
    ...due
      .filter(({ isQuickDue, windowPages }) => !isQuickDue && windowPages > 0)
      .sort((a, b) => lastLook(a) - lastLook(b)),
  ];
}

/** Whether nothing can appear in a form: the list lacks it, or it was read to its end and has been archived for a whole window. */
function isResting({ archivedSince, missingSince, count }: FormState, readAt: number): boolean {
  if (missingSince !== undefined) return true;
  return archivedSince !== undefined && count !== undefined && readAt - archivedSince >= WINDOW_MS;
}

/** A form whose count is as it was when it was read to its end has nothing new, as far as the count tells. */
function hasNews({ count }: FormState, listed: number | undefined): boolean {
  return count === undefined || listed === undefined || count !== listed;
}
