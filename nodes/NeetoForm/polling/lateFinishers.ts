/**
 * When a form's window is looked at for late finishers: whoever took longer to finish than a quick look reaches back. What the look shows
 * is new by the one rule for all submissions, `isNew` in batch.ts.
 */

import { PAGE_SIZE } from '../api/endpoints';
import { KNOWN, type Cursor } from './batch';
import type { FormState } from './state';

/**
 * ms in which one page of a window is looked at. With a poll a minute, a late finisher follows within ten minutes in a window of one
 * page; in a longer one, within as many times ten minutes as it has pages.
 */
export const LOOK_MS = 9 * 60_000;

/** How often the window of a busy form is looked at in the time in which as many new submissions come as it can hold. */
const LOOKS_PER_WINDOW = 8;

/** As many pages as the time since the last look is worth, so that polls a day apart see the whole window. */
export function pagesDue({ lookedAt: last = -Infinity, cursor }: FormState, now: number): number {
  // A clock that was set back makes the window due as well.
  const pages = now < last ? 1 : Math.floor((now - last) / pageEvery(cursor, now));
  return pages >= pagesOf(cursor) ? Infinity : pages;
}

/** The `lookedAt` to store for a look that is made now: when it was due, so that a late poll does not bring the looks of forms together. */
export function nextLookedAt({ lookedAt: last, cursor }: FormState, now: number): number {
  return last !== undefined && now > last ? now - ((now - last) % pageEvery(cursor, now)) : now;
}

/** ms between the looks at two pages of a window: in a busy form, a late finisher is looked for before newer ones push it out. */
function pageEvery(cursor: Cursor, now: number): number {
  const pages = pagesOf(cursor);
  if (pages === 1) return LOOK_MS;
  // The newer half tells how busy the form is now.
  const times = [...cursor.known.values()].sort((a, b) => b - a);
  const half = Math.floor(times.length / 2);
  const fillsInMs = (now - (times[half] ?? now)) * (KNOWN.perForm / half);
  return Math.min(LOOK_MS, Math.max(LOOK_MS, fillsInMs / LOOKS_PER_WINDOW) / pages);
}

function pagesOf({ known }: Cursor): number {
  return Math.max(1, known.size / PAGE_SIZE);
}
