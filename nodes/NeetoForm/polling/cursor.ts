import { createdMs } from '../api/parse';
import type { Submission } from '../api/types';

/**
 * What a trigger remembers of a form. Two values, kept apart: everything before `c` is settled and never asked for again; at or
 * after `c`, submissions are told apart by id, for one may still become visible late with an earlier creation time.
 */
export interface Cursor {
  /** ms since 1970. Never later than the service's time less the look-back, and never going back. */
  c: number;
  /** Known submissions created at or after `c`: their creation time (ms) by id. */
  seen: ReadonlyMap<string, number>;
}

/** How many submissions may still be handed out; the forms of one poll share it. */
export interface Room {
  left: number;
}

export interface Limits {
  room: Room;
  /** ms that a submission may become visible after its own creation time. */
  lookbackMs: number;
}

/** Unsettled ids held at most. Beyond, newer submissions wait: forgetting an id would repeat or lose one. */
export const MAX_UNSETTLED = 2_000;

/** What a poll has read so far, and what its cursor will be. No I/O, no clock. */
export class Harvest {
  private readonly seen: Map<string, number>;

  private fresh: Submission[] = [];

  private readonly c: number;

  /** Everything before was read. */
  private readTo: number;

  private serverTime: number | undefined;

  private newest: number;

  private unsettled: number | undefined;

  /** Creation time (ms) of the first submission that there was no room for; undefined while there is room. */
  private leftAt: number | undefined;

  private readonly limits: Limits;

  constructor(cursor: Cursor, limits: Limits) {
    this.limits = limits;
    this.c = cursor.c;
    this.readTo = cursor.c;
    this.seen = new Map(cursor.seen);
    this.newest = Math.max(cursor.c, ...maxima(cursor.seen.values()));
  }

  get isEmpty(): boolean {
    return this.fresh.length === 0;
  }

  /** Whether nothing more can be taken in this poll. */
  get isFull(): boolean {
    return this.leftAt !== undefined;
  }

  /**
   * Notes the service's time; the first answer's counts, for what that answer did not show may become visible after it.
   *
   * @param serverTime ms, undefined when the answer had no `Date`
   */
  noteServerTime(serverTime: number | undefined): void {
    this.serverTime ??= serverTime;
  }

  /**
   * Takes the rows that are new, oldest first, until it is full.
   *
   * @returns how many were new
   */
  take(rows: Submission[]): number {
    const before = this.fresh.length;
    for (const row of rows) {
      const created = createdMs(row);
      this.newest = Math.max(this.newest, created);
      if (created < this.c || this.seen.has(row.id)) continue;
      if (!this.hasRoomFor(created)) {
        this.leftAt = created;
        break;
      }
      this.fresh.push(row);
      this.limits.room.left--;
      this.seen.set(row.id, created);
      if (this.isUnsettled(created)) this.unsettled = this.countUnsettled() + 1;
    }
    return this.fresh.length - before;
  }

  /** Puts taken submissions back, and with them all that are newer, as if there had been no room for them. */
  giveBack(rows: Submission[]): void {
    const given = new Set(rows.map(({ id }) => id));
    this.fresh = this.fresh.filter(({ id }) => !given.has(id));
    this.limits.room.left += given.size;
    for (const row of rows) {
      this.seen.delete(row.id);
      this.leftAt = Math.min(this.leftAt ?? Infinity, createdMs(row));
      this.readTo = Math.min(this.readTo, this.leftAt);
    }
  }

  /** Says that `take` was shown everything created before `ms`, so that what it took counts as read. */
  markRead(ms: number): void {
    this.readTo = Math.max(this.readTo, Math.min(ms, this.leftAt ?? ms));
  }

  /** The new submissions, oldest first. */
  taken(): Submission[] {
    return this.fresh.toSorted((a, b) => createdMs(a) - createdMs(b));
  }

  /** The cursor to keep once what was taken is handed out. */
  cursor(): Cursor {
    const c = Math.max(this.c, Math.min(this.readTo, this.settledTo()));
    const seen = new Map([...this.seen].filter(([, created]) => created >= c));
    return { c, seen };
  }

  private hasRoomFor(created: number): boolean {
    if (this.limits.room.left <= 0) return false;
    // Without the service's time, what has no room could never become settled, for nothing newer would be read.
    if (this.serverTime === undefined) return true;
    return !this.isUnsettled(created) || this.countUnsettled() < MAX_UNSETTLED;
  }

  private isUnsettled(created: number): boolean {
    return created > this.settledTo();
  }

  private countUnsettled(): number {
    this.unsettled ??= [...this.seen.values()].filter((created) => this.isUnsettled(created)).length;
    return this.unsettled;
  }

  /** Without the service's time, its newest submission tells how late it is there at least. The local clock never does. */
  private settledTo(): number {
    return (this.serverTime ?? this.newest) - this.limits.lookbackMs;
  }
}

function maxima(values: Iterable<number>): number[] {
  let max: number | undefined;
  for (const value of values) max = max === undefined ? value : Math.max(max, value);
  return max === undefined ? [] : [max];
}
