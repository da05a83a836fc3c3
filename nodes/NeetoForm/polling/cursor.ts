/**
 * Decides which submissions of a form are new, and what to remember of it. Pure: no requests, no clock.
 *
 * The words of the trigger:
 * - A submission is **known** if it was emitted, or was there before its form started.
 * - A submission is **new** if it was created in the form's window and is not known.
 * - The **window** is the time in which submissions may still appear. In general these are the last seven days. It is shorter when more IDs
 *   are known than may be remembered, and longer as long as something older was not shown or emitted.
 * - A **late finisher** is a submission that appears long after its creation time: somebody opened the form on Monday, and sent it on Friday.
 * - A poll takes a **quick look** at the end of the window if the form has news, and every nine minutes a look at the whole window, for late
 *   finishers.
 * - A submission **waits** when it was read but not emitted, because of Max Submissions or a file that is late. Later polls emit it.
 * - A form is **settled** until a time: every submission that was created before that time has been shown and emitted.
 */

import type { Row } from '../api/parse';

export const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** ms before the service's time at which a quick look begins. Most submissions appear sooner than that after their creation time. */
export const RECENT_MS = 15 * MINUTE;

/** The length of the window in ms: how long after its creation time a submission may appear and is still found. */
export const WINDOW_MS = 7 * 24 * 60 * MINUTE;

/**
 * How many IDs a trigger remembers of one form, of all forms together, and of each form even if there are many forms. It may remember more
 * for a while: it forgets no submission of the time in which a form is not settled yet. See also `maxKnown` of `nextCursor`.
 */
const KNOWN = { perForm: 2_000, total: 20_000, atLeast: 20 };

/** Where a trigger is in one form. */
export interface Cursor {
  /** ms: start of the window. Nothing created before it is ever new again. It never goes back. */
  from: number;
  /**
   * ms: where the next quick look begins. If the form is settled to the end of its list, that is 15 minutes ago; otherwise, the time until which
   * it is settled. Exception: if the window has few IDs, a quick look begins at `from` and shows all of it.
   */
  recent: number;
  /** The submissions of the window that are known: their creation times (ms) by ID. */
  known: Readonly<Record<string, number>>;
}

/** What a trigger remembers of one form. */
export interface FormState {
  cursor: Cursor;
  /**
   * The form's `submissions_count` when it started, or was last read to its end. Undefined while new submissions wait. If another count is
   * listed, the form has news.
   */
  count?: number;
  /** ms: since when the list of forms says that the form is archived, or lacks it. By the earlier one of the service's clock and the local one. */
  goneSince?: number;
}

/** What a trigger remembers between polls, as n8n stores it: IDs and times, never answers. */
export interface TriggerState {
  /** ms, with Whole Workspace: the last list of forms showed all forms created before this time. A form created later is new. */
  listedTo?: number;
  /** By ID. */
  forms: Record<string, FormState>;
}

/** What a poll has read of a form. */
export interface Read {
  /** The new submissions, by ID, in any order. */
  rows: ReadonlyMap<string, Row>;
  /** ms: everything that was created before this time has been shown. Infinity when the end of the list was reached. */
  until: number;
  /** ms: the service's time, or that of the local clock when that is earlier; undefined when the service does not tell. */
  now: number | undefined;
  /**
   * Whether the whole window was shown. Only then does it move on with the time: in a part that was not shown, late finishers may have
   * appeared.
   */
  isWindowSeen: boolean;
}

/** A cursor to which everything created at a time (ms) or later is new. */
export function cursorFrom(ms: number): Cursor {
  return { from: ms, recent: ms, known: {} };
}

/** Whether a submission is new. Late finishers need no rule of their own: they were created in the window, and are not known. */
export function isNew({ from, known }: Cursor, { id, createdMs }: Row): boolean {
  return createdMs >= from && !Object.hasOwn(known, id);
}

/** Submissions in the order in which they are emitted. */
export function oldestFirst(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows.values()].sort((a, b) => a.createdMs - b.createdMs);
}

/**
 * The cursor of a form after a poll.
 *
 * Example: at 12:10, a quick look from 11:50 on shows B (12:01) and C (12:02), both new, and one submission may be emitted.
 * 1. B is emitted, and known from now on.
 * 2. C waits. So the form is settled until 12:02, the time of C.
 * 3. The start of the window stays, because a quick look shows only the end of the window. A look at all of it would move it to a week ago.
 * 4. The next quick look begins at 12:02. If C had been emitted as well, it would begin at 11:55, 15 minutes ago.
 *
 * A submission that appears tomorrow with the creation time 11:58 is found by the next look at the window: it is not known.
 *
 * @param emitted those of the new submissions that the poll emits
 * @param maxKnown how many IDs to remember at most. Between two looks at the whole window, twice as many: otherwise, new IDs would move the
 * start of the window past late finishers that no look has shown yet
 * @returns the new cursor; or the old one, if the new one says nothing that is worth writing to n8n's database
 */
export function nextCursor(cursor: Cursor, read: Read, emitted: Row[], maxKnown: number): Cursor {
  const known = { ...cursor.known, ...Object.fromEntries(emitted.map(({ id, createdMs }) => [id, createdMs])) };
  const newestFirst = Object.values(known).sort((a, b) => b - a);
  // Where the service does not tell its time, the newest submission does.
  const present = read.now ?? newestFirst[0] ?? cursor.from;
  const settled = settledUntil(read, known);
  const afterTooMany = startAfterTooMany(newestFirst, read.isWindowSeen ? maxKnown : 2 * maxKnown, present);
  const from = nextFrom(cursor, read, settled, afterTooMany);
  const recent = nextRecent(from, settled, present);
  const isIdle = emitted.length === 0 && settled === Infinity;
  if (isIdle && !isWorthWriting(cursor, { from, recent }, newestFirst)) return cursor;
  return { from, recent, known: Object.fromEntries(Object.entries(known).filter(([, ms]) => ms >= from)) };
}

/** The time until which a form is settled (ms). Infinity when all of it was shown and emitted. */
function settledUntil({ rows, until }: Read, known: Cursor['known']): number {
  const waiting = oldestFirst(rows).find(({ id }) => !Object.hasOwn(known, id));
  return Math.min(until, waiting?.createdMs ?? Infinity);
}

/**
 * Where the window has to begin (ms) so that it holds at most so many known submissions. -Infinity when it does not hold more.
 *
 * @param newestFirst the creation times of the known submissions
 */
function startAfterTooMany(newestFirst: number[], most: number, present: number): number {
  const firstTooMany = newestFirst[most] ?? -Infinity;
  // All submissions of that clock second are forgotten. A request begins at a whole second. If only some of the second were forgotten, each
  // look would show the forgotten ones again, for nothing. The window never begins after the present: creation times may be ahead of it,
  // and submissions that are created now must be in the window.
  return Math.min(secondOf(firstTooMany) + SECOND, present);
}

/** The start of the next window: a week ago, or later when there are too many. What is not settled stays in it. It never goes back. */
function nextFrom({ from }: Cursor, { now, isWindowSeen }: Read, settled: number, afterTooMany: number): number {
  const weekAgo = isWindowSeen && now !== undefined ? now - WINDOW_MS : -Infinity;
  const wanted = Math.max(weekAgo, afterTooMany);
  const allowed = Math.min(wanted, settled);
  return Math.max(from, allowed);
}

/** Where the next quick look begins: 15 minutes ago; or, if the form is not settled until now, where the unread or waiting part begins. */
function nextRecent(from: number, settled: number, present: number): number {
  const wanted = settled === Infinity ? present - RECENT_MS : Math.min(settled, present);
  return Math.max(from, wanted);
}

/**
 * Whether a cursor is written although no submission was emitted. There are three reasons for the new one:
 * - Its `recent` is earlier. For example, a poll at 12:00 was cut off after the submissions of 11:58, so `recent` became 11:58. At 12:01 all is
 *   read, and the next quick look has to begin 15 minutes ago again, at 11:46.
 * - The new one forgets an ID, so that the state takes less room.
 * - The new one spares the next quick look a submission that is known already.
 */
function isWorthWriting(old: Cursor, { from, recent }: Pick<Cursor, 'from' | 'recent'>, knownTimes: number[]): boolean {
  return recent < old.recent || knownTimes.some((ms) => ms < from || (ms >= old.recent && ms < recent));
}

/** A time rounded down to its second (ms). Requests begin at whole seconds, because the service may round times. */
export function secondOf(ms: number): number {
  return Math.floor(ms / SECOND) * SECOND;
}

/**
 * How many IDs may be remembered of each form: 2,000, unless all forms together have too many. Then it is the largest share that `shares`
 * gives: what forms with few IDs do not need goes to the others.
 *
 * @param counts numbers of IDs. A form may have two entries, one for its known IDs and one for the new ones
 */
export function maxKnownOf(counts: number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= KNOWN.total) return KNOWN.perForm;
  return Math.min(KNOWN.perForm, Math.max(KNOWN.atLeast, ...shares(KNOWN.total, counts)));
}

/**
 * Divides a number evenly: whoever needs less than a share gets what it needs, and the rest of that share goes to the others.
 *
 * @param needs how many each could use, in the order in which a remainder is given out
 * @returns how many each gets: `shares(10, [1, 9, 9])` is `[1, 5, 4]`
 */
export function shares(total: number, needs: number[]): number[] {
  const given = needs.map(() => 0);
  for (let left = total, open = needs; left > 0 && open.length > 0;) {
    const share = Math.max(1, Math.floor(left / open.length));
    for (const [index, need] of needs.entries()) {
      const more = Math.min(share, left, need - (given[index] ?? 0));
      given[index] = (given[index] ?? 0) + more;
      left -= more;
    }
    open = needs.filter((need, index) => (given[index] ?? 0) < need);
  }
  return given;
}
