/** Decides which submissions of a form are new, and what to remember of it. Pure: no requests, no clock. */

import type { Row } from '../api/parse';

export const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** ms before the service's time where a quick look begins: most of what is created appears within it. */
export const RECENT_MS = 15 * MINUTE;

/** ms that the window reaches back once it was seen: how late a submission may appear after its own creation time. */
export const WINDOW_MS = 7 * 24 * 60 * MINUTE;

/** IDs that a trigger remembers: of one form at most, of all its forms together (about), and of each form in any case. */
const KNOWN = { perForm: 2_000, total: 20_000, atLeast: 20 };

/** Where a trigger is in one form. */
export interface Cursor {
  /** ms: start of the window. Nothing created before it is ever new again. It never goes back. */
  from: number;
  /** ms: where a quick look begins, never before `from`: 15 minutes ago, or where reading stopped or something waits. */
  recent: number;
  /** The submissions of the window that are known: their creation times (ms) by ID. */
  known: Readonly<Record<string, number>>;
}

/** What a trigger remembers of one form. */
export interface FormState {
  cursor: Cursor;
  /** The form's `submissions_count` before it was last read to its end; undefined when it was not. */
  count?: number;
  /** ms, the service's time: since when the list of forms says that the form is archived, or lacks it. */
  goneSince?: number;
}

/** What a trigger remembers between polls, as n8n stores it: IDs and times, never answers. */
export interface TriggerState {
  /** ms, with Whole Workspace: up to when the last list showed the forms that were created. A form created later is new. */
  listedTo?: number;
  /** By ID. */
  forms: Record<string, FormState>;
}

/** What a poll was shown of a form. */
export interface Read {
  /** The new submissions, by ID, in any order. */
  rows: ReadonlyMap<string, Row>;
  /** ms: everything created before it was shown. Infinity when the end of the list was reached. */
  until: number;
  /** ms: the service's time, or that of the local clock when that is earlier; undefined when the service does not tell. */
  now: number | undefined;
  /** Whether the whole window was shown: otherwise nothing leaves it for its age, and less when there are too many. */
  isWindowSeen: boolean;
}

/** A cursor to which everything created at a time (ms) or later is new. */
export function cursorFrom(ms: number): Cursor {
  return { from: ms, recent: ms, known: {} };
}

/** Whether a submission is new, a late finisher's too: it is in the window, and not known. That is the whole rule. */
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
 * 2. C waits. So the form is settled until 12:02: everything before was shown, and is known.
 * 3. The window begins a week ago if all of it was shown, and otherwise where it did: a quick look says nothing about older submissions.
 * 4. The next quick look begins at 12:02. If C had been emitted as well, it would begin at 11:55, 15 minutes ago.
 *
 * A row that appears tomorrow with 11:58 is found by the next look at the window: it is in the window, and not known.
 *
 * @param emitted those of the new submissions that the poll emits
 * @param maxKnown IDs to remember at most; twice as many until the whole window was shown, for late finishers among them
 * @returns the same cursor when a change would not be worth a write
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

/** ms: everything created before it was shown, and does not wait. Infinity when nothing is left. */
function settledUntil({ rows, until }: Read, known: Cursor['known']): number {
  const waiting = oldestFirst(rows).find(({ id }) => !Object.hasOwn(known, id));
  return Math.min(until, waiting?.createdMs ?? Infinity);
}

/** Where the window begins when it holds too many known submissions (ms), given their times; -Infinity when it does not. */
function startAfterTooMany(newestFirst: number[], most: number, present: number): number {
  const firstTooMany = newestFirst[most] ?? -Infinity;
  // Requests begin at whole seconds. So does the window, in order that no request shows again a submission that is no longer known. But
  // where submissions are dated ahead of the present, it still begins before those that are created now.
  return Math.min(secondOf(firstTooMany) + SECOND, present);
}

/** The start of the window: a week ago, or later when it holds too many. But what is not settled stays in it, and it never goes back. */
function nextFrom({ from }: Cursor, { now, isWindowSeen }: Read, settled: number, afterTooMany: number): number {
  const weekAgo = isWindowSeen && now !== undefined ? now - WINDOW_MS : -Infinity;
  const wanted = Math.max(weekAgo, afterTooMany);
  const allowed = Math.min(wanted, settled);
  return Math.max(from, allowed);
}

/** Where the next quick look begins: 15 minutes ago, or where something was not read or waits. */
function nextRecent(from: number, settled: number, present: number): number {
  const wanted = settled === Infinity ? present - RECENT_MS : Math.min(settled, present);
  return Math.max(from, wanted);
}

/** Whether a change is stored that adds nothing: with the old cursor, quick looks begin too late, or too early, or old IDs are kept. */
function isWorthWriting(old: Cursor, { from, recent }: Pick<Cursor, 'from' | 'recent'>, knownTimes: number[]): boolean {
  return recent < old.recent || knownTimes.some((ms) => ms < from || (ms >= old.recent && ms < recent));
}

/** The whole second of a time, rounded down (ms): the service may keep finer times than it prints, or round what it receives. */
export function secondOf(ms: number): number {
  return Math.floor(ms / SECOND) * SECOND;
}

/**
 * How many IDs each form may have: 2,000, unless all together have too many. Then those with more than a share are cut to it. The share is
 * no plain quotient: what forms with few IDs leave goes to the others.
 *
 * @param counts numbers of IDs. A form may have two of them: one of those that are known, one of those that are new
 */
export function maxKnownOf(counts: number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= KNOWN.total) return KNOWN.perForm;
  return Math.min(KNOWN.perForm, Math.max(KNOWN.atLeast, ...shares(KNOWN.total, counts)));
}

/**
 * Divides a number evenly: whoever needs less than a share gets all of it, and what it leaves goes to the others.
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
