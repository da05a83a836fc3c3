/** Decides what a poll emits of one form, and where the next poll continues. Pure: no requests, no clock. */

import type { Row } from '../api/parse';

export const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** ms before the service's time where a quick look begins: most of what is created appears within it. */
export const RECENT_MS = 15 * MINUTE;

/** ms that the window reaches back at most: how late a submission may appear after its own creation time, as a late finisher's does. */
export const WINDOW_MS = 7 * 24 * 60 * MINUTE;

/** IDs that a trigger remembers: of a form at most, of all its forms together (about), and of each form in any case. */
export const KNOWN = { perForm: 2_000, total: 20_000, atLeast: 20 };

/** Submissions that an idle poll may be shown again. */
const FEW = 15;

/** Where a trigger is in one form. */
export interface Cursor {
  /** ms: start of the window. Nothing created before it is ever new again. It never goes back. */
  from: number;
  /**
   * ms: where a quick look begins, never before `from`: about 15 minutes ago, at the newest known one if that is earlier, or where
   * reading stopped before the end.
   */
  recent: number;
  /** ms: where the next look at the window begins. */
  look: number;
  /** The submissions of the window that are known: their creation times (ms) by ID. */
  known: ReadonlyMap<string, number>;
}

/** What the looks at a form have shown. */
export interface Read {
  /** By ID, in any order; known ones do not matter. */
  rows: ReadonlyMap<string, Row>;
  /** ms: a quick look showed everything created before it. Infinity when it reached the end of the list. */
  until: number;
  /** ms: how far a look at the window came, Infinity to its end; undefined when there was none. */
  lookedTo?: number;
  /** ms, the service's time at its first response; undefined when it does not tell. */
  serverTime?: number;
}

export interface Limits {
  /** Submissions to emit at most. */
  quota: number;
  /** IDs to remember at most. */
  maxKnown: number;
  /** ms, the local clock: guards against a service whose clock is ahead, and stands in for one that tells no time. */
  now: number;
}

interface Batch {
  /** The submissions to emit, oldest first. */
  emit: Row[];
  /** Whether others are left for the next poll. */
  hasMore: boolean;
  /** What to store together with them. */
  cursor: Cursor;
}

/**
 * The next batch of a form: what was read and is not known, oldest first, and the cursor after it.
 *
 * Example: the quick look shows A (12:00, known), B (12:01) and C (12:02), and one submission may be emitted. B is emitted and known
 * from now on; C waits, so that the next quick look begins at 12:02. A row that appears tomorrow with 11:58 is found by
 * the next look at the window, because 11:58 is not before its start and the row is not known.
 */
export function nextBatch(cursor: Cursor, read: Read, limits: Limits): Batch {
  const fresh = [...read.rows.values()].filter((row) => isNew(cursor, row)).sort((a, b) => a.createdMs - b.createdMs);
  const emit = fresh.slice(0, limits.quota);
  const waiting = fresh.at(limits.quota);
  const known = new Map([...cursor.known, ...emit.map(({ id, createdMs }) => [id, createdMs] as const)]);
  const times = [...known.values()].sort((a, b) => b - a);
  const present = read.serverTime ?? times[0] ?? cursor.from;
  // What was not read or has to wait is neither skipped by a quick look nor left behind by the window.
  const settled = Math.min(read.until, waiting?.createdMs ?? Infinity);
  const lookedTo = read.lookedTo ?? cursor.look;
  const from = Math.max(cursor.from, Math.min(settled, windowStart(times, limits, read.serverTime)));
  const quick = settled === Infinity ? Math.min(present - RECENT_MS, lastSecond(times)) : Math.min(settled, present);
  const recent = Math.max(from, quick);
  // A quick look without news is not worth a write, if the next one begins early enough and shows little again: the next look at the
  // window moves it on.
  const isIdle = emit.length === 0 && settled === Infinity && read.lookedTo === undefined && cursor.recent <= recent;
  if (isIdle && times.filter((ms) => ms >= cursor.recent).length < FEW) return { emit, hasMore: false, cursor };
  const look = lookedTo === Infinity ? from : Math.max(from, lookedTo);
  const inWindow = [...known].filter(([, createdMs]) => createdMs >= from);
  return { emit, hasMore: waiting !== undefined, cursor: { from, recent, look, known: new Map(inWindow) } };
}

/** The whole second of a time, rounded down (ms): the service may keep finer times than it prints, or round what it receives. */
export function secondOf(ms: number): number {
  return Math.floor(ms / SECOND) * SECOND;
}

/**
 * The second (ms) of the newest known submission: a quick look from there shows few rows, and what else appears in that second. When that
 * are many, the second after it.
 *
 * @param times of the known submissions, ms, newest first
 */
function lastSecond(times: number[]): number {
  const second = secondOf(times[0] ?? Infinity);
  return times.filter((ms) => ms >= second).length < FEW ? second : second + SECOND;
}

/** Whether a submission is new, a late finisher's too: it is in the window, and not known. That is the whole rule. */
export function isNew({ from, known }: Cursor, { id, createdMs }: Row): boolean {
  return createdMs >= from && !known.has(id);
}

/**
 * Where the window begins that holds a week, or `maxKnown` submissions if that is shorter.
 *
 * @param times of the known submissions, ms, newest first
 */
function windowStart(times: number[], { maxKnown, now }: Limits, serverTime: number | undefined): number {
  const weekAgo = serverTime === undefined ? -Infinity : Math.min(serverTime, now) - WINDOW_MS;
  // All of one second are forgotten together: requests begin at whole seconds, so none of them is requested again. But submissions that
  // are dated ahead must not close the window to those that come until then.
  const firstTooMany = times.at(maxKnown) ?? -Infinity;
  const tooMany = Math.min(secondOf(firstTooMany) + SECOND, serverTime ?? now);
  return Math.max(weekAgo, tooMany);
}

/**
 * How many IDs each form may have: all that one may, unless all together have too many. Then those with more than a share are cut to it.
 *
 * @param counts how many IDs each form has, or would have
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
  let left = total;
  let open = needs.map((_, index) => index);
  while (left > 0 && open.length > 0) {
    const share = Math.max(1, Math.floor(left / open.length));
    for (const index of open) {
      const more = Math.min(share, left, (needs[index] ?? 0) - (given[index] ?? 0));
      given[index] = (given[index] ?? 0) + more;
      left -= more;
    }
    open = open.filter((index) => (given[index] ?? 0) < (needs[index] ?? 0));
  }
  return given;
}
