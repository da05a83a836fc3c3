import type { Row } from '../api/parse';

/** What a trigger remembers of a form. Two values, kept apart, because a submission may appear late with an earlier creation time. */
export interface Cursor {
  /** ms since 1970: everything created before it is settled and never requested again. It never goes back. */
  watermark: number;
  /** Known submissions created at or after the watermark: their creation time (ms) by ID. */
  seenIds: ReadonlyMap<string, number>;
}

export interface BatchLimits {
  /** Submissions to collect at most. */
  quota: number;
  /** ms that a submission may appear after its own creation time. */
  lookbackMs: number;
}

/** IDs within the look-back held at most. Beyond, newer submissions wait: forgetting an ID would repeat or lose one. */
export const MAX_SEEN_IDS = 2_000;

/** The new submissions of one form in one poll, and the cursor after it. Pure: no requests, no clock. */
export class PollBatch {
  /** Whether submissions wait because too many IDs within the look-back would have to be remembered. */
  hasTooManyIds = false;

  private readonly seenIds: Map<string, number>;

  private rows: Row[] = [];

  private readUntil: number;

  private serverTime: number | undefined;

  private newestMs: number;

  /** IDs that are within the look-back; undefined = to be counted again. */
  private recentIds: number | undefined;

  /** Creation time (ms) of the earliest submission that has to wait; undefined when none has. */
  private deferredMs: number | undefined;

  private readonly watermark: number;

  private readonly limits: BatchLimits;

  constructor({ watermark, seenIds }: Cursor, limits: BatchLimits) {
    this.limits = limits;
    this.watermark = watermark;
    this.readUntil = watermark;
    this.seenIds = new Map(seenIds);
    this.newestMs = watermark;
    for (const created of seenIds.values()) this.newestMs = Math.max(this.newestMs, created);
  }

  get size(): number {
    return this.rows.length;
  }

  /** Whether a submission has to wait, so that nothing after it can be added. */
  get isFull(): boolean {
    return this.deferredMs !== undefined;
  }

  /** Whether the next poll starts later than this one did. */
  get hasAdvanced(): boolean {
    return Math.min(this.readUntil, this.lookbackStart()) > this.watermark;
  }

  /**
   * Notes the service's time. That of the first response counts: what it did not show may appear after it.
   *
   * @param serverTime ms, undefined when the response had no `Date`
   */
  noteServerTime(serverTime: number | undefined): void {
    this.serverTime ??= serverTime;
  }

  /** Adds the rows that are new; one that has to wait makes those after it wait too. */
  add(rows: Row[]): void {
    for (const row of rows) {
      const created = row.createdMs;
      this.newestMs = Math.max(this.newestMs, created);
      if (created < this.watermark || this.seenIds.has(row.id)) continue;
      if (!this.hasRoomFor(created)) {
        this.deferFrom(created);
        return;
      }
      this.rows.push(row);
      this.seenIds.set(row.id, created);
      if (this.isRecent(created)) this.recentIds = this.countRecentIds() + 1;
    }
  }

  /** Notes that every row created before a time (ms) was passed to `add`. */
  markRead(ms: number): void {
    this.readUntil = Math.max(this.readUntil, Math.min(ms, this.deferredMs ?? ms));
  }

  /** Keeps the oldest rows and leaves the others, and all that are newer, to a later poll. */
  keep(count: number): void {
    const deferred = this.submissions().slice(count);
    const ids = new Set(deferred.map(({ id }) => id));
    this.rows = this.rows.filter(({ id }) => !ids.has(id));
    for (const row of deferred) {
      this.seenIds.delete(row.id);
      this.deferFrom(row.createdMs);
    }
    this.recentIds = undefined;
  }

  /** The new submissions, oldest first. */
  submissions(): Row[] {
    return this.rows.toSorted((a, b) => a.createdMs - b.createdMs);
  }

  /** The cursor to store once the submissions are emitted. */
  cursor(): Cursor {
    const watermark = Math.max(this.watermark, Math.min(this.readUntil, this.lookbackStart()));
    return { watermark, seenIds: new Map([...this.seenIds].filter(([, created]) => created >= watermark)) };
  }

  private hasRoomFor(created: number): boolean {
    if (this.rows.length >= this.limits.quota) return false;
    // Without the service's time, IDs would never leave the look-back, because nothing newer would be read.
    if (this.serverTime === undefined || !this.isRecent(created)) return true;
    this.hasTooManyIds = this.countRecentIds() >= MAX_SEEN_IDS;
    return !this.hasTooManyIds;
  }

  private deferFrom(created: number): void {
    this.deferredMs = Math.min(this.deferredMs ?? created, created);
    this.readUntil = Math.min(this.readUntil, this.deferredMs);
  }

  private isRecent(created: number): boolean {
    return created > this.lookbackStart();
  }

  private countRecentIds(): number {
    this.recentIds ??= [...this.seenIds.values()].filter((created) => this.isRecent(created)).length;
    return this.recentIds;
  }

  /** Without the service's time, its newest submission shows how late it is there at least. The local clock never does. */
  private lookbackStart(): number {
    return (this.serverTime ?? this.newestMs) - this.limits.lookbackMs;
  }
}
