/**
 * Decides which submissions of a form are new, and what to remember of it. Pure: no requests, no clock. Times and durations are in ms.
 *
 * The words of the trigger:
 * - The **window** is the range of creation times for which submissions may still appear: in general, the last seven days.
 * - A submission is **known** if it was emitted, or existed before the trigger began to watch its form. It is **new** if it is in the window and
 *   not known.
 * - A **late finisher** appears long after its creation time: somebody opened the form on Monday, and sent it on Friday.
 * - A form has **news** if its `submissions_count` has changed, or is not known. An archived form has news if its count is known, and either has
 *   changed, or the form was not read since it was archived. A **quick look** at a form with news reads the newest part of the window.
 * - Every nine minutes, a look reads the whole window, for late finishers. The window of an archived form is read only if the form has news.
 * - A submission **waits** when it was read but not emitted, because of Max Submissions, or of a file that came too late. A later poll emits it.
 * - A **look** reads the submissions that were created from some time on, oldest first. A form is shown **until** a creation time if its look has
 *   read all that was created before that time; until Infinity, if it has reached the end of the list.
 * - A form is **settled** until a creation time if all that was created before that time is known.
 */

import type { Submission } from '../api/parse';

export const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Most submissions appear sooner than this after their creation time. */
export const RECENT_MS = 15 * MINUTE;

export const WINDOW_MS = 7 * 24 * 60 * MINUTE;

/** Where a trigger is in one form. */
export interface Cursor {
  /** Start of the window. It never goes back. */
  from: number;
  /**
   * Where the next quick look begins. If the poll that wrote the cursor settled the form to its end, that is 15 minutes before that poll; otherwise
   * the time until which the form is settled.
   */
  recent: number;
  /** The creation times of the known submissions in the window, by ID. */
  known: Readonly<Record<string, number>>;
}

/** What a trigger remembers of one form. */
export interface FormState {
  cursor: Cursor;
  /**
   * The form's `submissions_count` when the trigger began to watch it, or last read it to its end. Undefined if the next poll has to read the form
   * whatever its count is: new submissions wait, for example.
   */
  count?: number;
  /** Whether the form was archived when it was last read to its end. */
  wasArchived?: boolean;
  /** Since when the list of a whole workspace lacks the form. It is not read then, and forgotten after a week. */
  missingSince?: number;
}

/** What a trigger remembers between polls, as n8n stores it: IDs and times, never answers. */
export interface TriggerState {
  /** With Whole Workspace, a form that was created after this time is new. The last list showed all older ones. */
  listedTo?: number;
  /** By ID. */
  forms: Record<string, FormState>;
}

/** What a poll has read of a form. */
export interface Read {
  /** The new submissions, by ID. */
  rows: ReadonlyMap<string, Submission>;
  until: number;
  /** The service's time, or that of the local clock when that is earlier; undefined when the service does not tell. */
  now: number | undefined;
  /** Whether the whole window was shown. Only then does it move on with time: late finishers may have appeared in a part that was not shown. */
  isWindowSeen: boolean;
}

/** A cursor to which everything created at a time or later is new. */
export function cursorFrom(time: number): Cursor {
  return { from: time, recent: time, known: {} };
}

export function isNew({ from, known }: Cursor, { id, createdMs }: Submission): boolean {
  return createdMs >= from && !Object.hasOwn(known, id);
}

export function oldestFirst(rows: ReadonlyMap<string, Submission>): Submission[] {
  return [...rows.values()].sort((a, b) => a.createdMs - b.createdMs);
}

/**
 * The cursor of a form after a poll.
 *
 * Example: at 12:10, a quick look shows B (12:01) and C (12:02), both new, and Max Submissions is 1. B is emitted, and known from now on. C waits:
 * the form is settled until 12:02, where the next quick look begins. If C had been emitted, too, it would begin at 11:55.
 *
 * @param maxKnown how many IDs to remember. When IDs are forgotten, the window begins after their creation times. A late finisher that was created
 * before the new beginning, and that no look has shown yet, is then lost. So only a poll that has just shown the whole window forgets down to this
 * number. Other polls remember twice as many IDs
 * @returns the old cursor if the new one says nothing that is worth writing to n8n's database
 */
export function nextCursor(cursor: Cursor, read: Read, emitted: Submission[], maxKnown: number): Cursor {
  const { now, isWindowSeen } = read;
  const known = { ...cursor.known, ...Object.fromEntries(emitted.map(({ id, createdMs }) => [id, createdMs])) };
  const newestFirst = Object.values(known).sort((a, b) => b - a);
  // Where the service does not tell its time, the newest known submission does.
  const present = now ?? newestFirst[0] ?? cursor.from;
  const found = oldestFirst(read.rows);
  const waiting = found.find(({ id }) => !Object.hasOwn(known, id));
  const settled = Math.min(read.until, waiting?.createdMs ?? Infinity);
  // A deletion between two pages may have hidden a row of the same second as one that was found. So the oldest second of which something was found
  // stays in the window until the next look.
  const afterWeek =
    isWindowSeen && now !== undefined
      ? Math.min(now - WINDOW_MS, secondOf(found[0]?.createdMs ?? Infinity))
      : -Infinity;
  const firstTooMany = newestFirst[isWindowSeen ? maxKnown : 2 * maxKnown] ?? -Infinity;
  // If a clock is behind, known times may be later than `present`. Even then, the window begins at `present` at the latest.
  const afterTooMany = Math.min(secondOf(firstTooMany) + SECOND, present);
  const wantedFrom = Math.max(afterWeek, afterTooMany);
  // What is not settled stays in the window. The window never goes back.
  const from = Math.max(cursor.from, Math.min(wantedFrom, settled));
  const recent = Math.max(from, settled === Infinity ? present - RECENT_MS : Math.min(settled, present));
  const isIdle = emitted.length === 0 && settled === Infinity;
  if (isIdle && !isWorthWriting(cursor, from, recent, newestFirst)) return cursor;
  return { from, recent, known: Object.fromEntries(Object.entries(known).filter(([, ms]) => ms >= from)) };
}

/** Whether to write the new cursor of a poll that emitted nothing, and left nothing to a later poll. */
function isWorthWriting(old: Cursor, from: number, recent: number, knownTimes: number[]): boolean {
  // Example: a poll that ran out of time left `recent` at 11:58. The next poll, at 12:01, reads on to the end, so the new `recent` is 11:46.
  // With 11:58, quick looks would miss a submission that was created at 11:50, and appears at 12:03.
  const goesBack = recent < old.recent;
  const forgetsIds = knownTimes.some((ms) => ms < from);
  // With the later `recent`, the next quick look does not show these known submissions again.
  const sparesRows = knownTimes.some((ms) => ms >= old.recent && ms < recent);
  return goesBack || forgetsIds || sparesRows;
}

/** A time rounded down to its second. */
export function secondOf(time: number): number {
  return Math.floor(time / SECOND) * SECOND;
}
