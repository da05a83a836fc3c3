import type { Clock } from '../clock.ts';
import { hex8, shuffled, type Random } from '../random.ts';
import type { Submission } from './types.ts';

/** Which of a form's submissions are requested. */
export interface SubmissionQuery {
  /** Inclusive lower bound of the creation time, milliseconds since 1970 UTC. */
  after?: number;
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
  /** When present, rows of equal time come in an order that it decides. */
  tieOrder?: Random;
}

/** A past of submissions without answers: row `i` was made at `from + i * everyMs`. */
export interface HistoryInput {
  count: number;
  /** Milliseconds since 1970 UTC. */
  from: number;
  everyMs: number;
}

/** All submissions of one form, sorted by creation time: one page costs the same however many there are. */
export class SubmissionLog {
  private readonly clock: Clock;
  /** What the ids of a history begin with. */
  private readonly idPrefix: string;
  /** The visible rows, oldest first; those of one time in the order in which they appeared. */
  private readonly visible: Submission[] = [];
  private pending: Submission[] = [];
  private readonly deleted = new Map<string, Submission>();
  /** When the number of visible rows changed, and by how much. */
  private readonly changes: Array<{ at: number; by: number }> = [];

  constructor(formId: string, clock: Clock) {
    this.clock = clock;
    this.idPrefix = formId.slice(0, -8);
  }

  /** Adds one submission. */
  add(row: Submission): void {
    if (row.visibleAt <= this.clock.now()) this.show(row, this.clock.now());
    else this.pending.push(row);
  }

  /** Adds many submissions without answers. */
  addHistory({ count, from, everyMs }: HistoryInput): void {
    const [fieldValues, answers] = [[], {}];
    for (let index = 0; index < count; index += 1) {
      const id = this.idPrefix + hex8(index);
      const at = from + index * everyMs;
      const createdAt = new Date(at).toISOString();
      this.add({ id, at, createdAt, visibleAt: -Infinity, answers, fieldValues, responses: undefined });
    }
  }

  /** The submission with this id, visible or not; undefined when there is none, or it was deleted. */
  find(id: string): Submission | undefined {
    return this.all().find((row) => row.id === id);
  }

  /** Deletes a submission. Returns whether there was one. */
  delete(id: string): boolean {
    this.reveal();
    const row = this.find(id);
    if (!row) return false;
    this.deleted.set(id, row);
    const index = this.visible.indexOf(row);
    if (index < 0) this.pending = this.pending.filter((each) => each !== row);
    else {
      this.visible.splice(index, 1);
      this.changes.push({ at: this.clock.now(), by: -1 });
    }
    return true;
  }

  /** Restores a deleted submission. Returns whether there was one. */
  restore(id: string): boolean {
    const row = this.deleted.get(id);
    if (row) this.add(row);
    return this.deleted.delete(id);
  }

  /**
   * How many submissions are visible.
   * @param lagMs instead of now, so many milliseconds before
   */
  count(lagMs = 0): number {
    this.reveal();
    const until = this.clock.now() - lagMs;
    const later = lagMs > 0 ? this.changes.filter(({ at }) => at > until) : [];
    return later.reduce((count, { by }) => count - by, this.visible.length);
  }

  /** One page of the visible submissions, with the number of all that match. */
  select({ after, order, offset, limit, tieOrder }: SubmissionQuery) {
    this.reveal();
    const rows = tieOrder ? shuffled(this.visible, tieOrder).sort(byTime) : this.visible;
    const first = after === undefined ? 0 : rows.findLastIndex(({ at }) => at < after) + 1;
    const total = rows.length - first;
    const [from, to] = [Math.min(offset, total), Math.min(offset + limit, total)];
    if (order === 'asc') return { rows: rows.slice(first + from, first + to), total };
    return { rows: rows.slice(rows.length - to, rows.length - from).reverse(), total };
  }

  /** Every submission that is not deleted, also those not visible yet, oldest first. */
  all(): Submission[] {
    return [...this.visible, ...this.pending].sort(byTime);
  }

  private reveal(): void {
    const now = this.clock.now();
    const due = this.pending.filter(({ visibleAt }) => visibleAt <= now);
    if (due.length === 0) return;
    this.pending = this.pending.filter(({ visibleAt }) => visibleAt > now);
    for (const row of due) this.show(row, row.visibleAt);
  }

  /** Puts a row in its place, after those of the same time. */
  private show(row: Submission, at: number): void {
    const index = this.visible.findLastIndex((each) => each.at <= row.at) + 1;
    this.visible.splice(index, 0, row);
    this.changes.push({ at, by: 1 });
  }
}

function byTime(one: Submission, other: Submission): number {
  return one.at - other.at;
}
