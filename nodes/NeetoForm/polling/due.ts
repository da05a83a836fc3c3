/** Which forms a poll reads: those with something recent, and those whose window is to be looked at for late finishers. */

import { PAGE_SIZE } from '../api/endpoints';
import { KNOWN, WINDOW_MS, type Cursor } from './batch';
import type { FormList } from './forms';
import type { FormState } from './state';

/**
 * ms in which one page of a window is looked at. With a poll a minute, a late finisher follows within ten minutes in a window of one
 * page; in a longer one, within as many times ten minutes as it has pages.
 */
export const LOOK_MS = 9 * 60_000;

/** How often the window of a busy form is looked at in the time in which as many new submissions come as it can hold. */
const LOOKS_PER_WINDOW = 8;

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

/** The time to store for a look that is made now: when it was due, so that a late poll does not bring the looks of forms together. */
export function lookedAt({ lookedAt: last, cursor }: FormState, now: number): number {
  return last !== undefined && now > last ? now - ((now - last) % pageEvery(cursor, now)) : now;
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

/** As many pages as the time since the last look is worth, so that polls a day apart see the whole window. */
function pagesDue({ lookedAt: last = -Infinity, cursor }: FormState, now: number): number {
  // A clock that was set back makes the window due as well.
  const pages = now < last ? 1 : Math.floor((now - last) / pageEvery(cursor, now));
  return pages >= pagesOf(cursor) ? Infinity : pages;
}

/** ms between the looks at two pages of a window: in a busy form, a late finisher is looked for before newer ones push it out. */
function pageEvery(cursor: Cursor, now: number): number {
  const pages = pagesOf(cursor);
  if (pages === 1) return LOOK_MS;
  const { known } = cursor;
  const fillsInMs = (now - Math.min(...known.values())) * (KNOWN.perForm / known.size);
  return Math.min(LOOK_MS, Math.max(LOOK_MS, fillsInMs / LOOKS_PER_WINDOW) / pages);
}

function pagesOf({ known }: Cursor): number {
  return Math.max(1, known.size / PAGE_SIZE);
}
