/** Which forms a poll reads, and how: a quick look at what is recent, or a look at the whole window. */

import { PAGE_SIZE } from '../api/endpoints';
import { isResting, type WatchedForms } from './forms';
import type { FormState } from './state';

/**
 * ms in which one page of a window is looked at. With a poll a minute, what appears late in a window of one page follows within ten
 * minutes; in a longer one, within as many times ten minutes as it has pages.
 */
export const LOOK_MS = 9 * 60_000;

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
 * The forms to read in a poll, those first that come after the form where the last poll stopped.
 *
 * @param now ms, the local clock
 * @param position ID of the form after which to begin
 */
export function dueForms(
  forms: Map<string, FormState>,
  list: WatchedForms['list'],
  now: number,
  position: string | undefined,
): DueForm[] {
  const due = [...forms]
    .filter(([, state]) => !isResting(state, list?.serverTime ?? now))
    .map(([formId, state]) => ({
      formId,
      state,
      isQuickDue: hasNews(state, list?.forms.get(formId)?.count),
      windowPages: pagesDue(state, now),
    }))
    .filter(({ isQuickDue, windowPages }) => isQuickDue || windowPages > 0)
    .sort((a, b) => (a.formId < b.formId ? -1 : 1));
  const isNext = ({ formId }: DueForm) => formId > (position ?? '');
  return [...due.filter(isNext), ...due.filter((form) => !isNext(form))];
}

/**
 * Where the next poll begins: with the first form that did not get its share, so that none is held back by those before it. The form
 * that came first in this poll does not count, for it had its chance; when all others got their shares, it comes last.
 *
 * @param hadShare IDs of the forms that got their shares
 * @returns the ID of the form before it; undefined when no form was due
 */
export function positionAfter(due: DueForm[], hadShare: ReadonlySet<string>): string | undefined {
  const next = due.findIndex(({ formId }, index) => index > 0 && !hadShare.has(formId));
  return due[Math.max(0, next - 1)]?.formId;
}

/** A form whose count is as it was when it was read to its end has nothing new, as far as the count tells. */
function hasNews({ count }: FormState, listed: number | undefined): boolean {
  return count === undefined || listed === undefined || count !== listed;
}

/** As many pages as the time since the last look is worth, so that polls a day apart see the whole window. */
function pagesDue({ lookedAt: last = -Infinity, cursor }: FormState, now: number): number {
  // A clock that was set back makes the window due as well.
  const pages = now < last ? 1 : Math.floor((now - last) / LOOK_MS);
  return pages * PAGE_SIZE > cursor.known.size ? Infinity : pages;
}

/** When the next look is counted from: a poll that is late does not make those after it late, so that the looks stay spread. */
export function lookedAt({ lookedAt: last }: FormState, now: number): number {
  return last !== undefined && now > last ? now - ((now - last) % LOOK_MS) : now;
}
