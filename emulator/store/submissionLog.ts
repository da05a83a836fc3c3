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

  constructor(formId: string, clock: Clock) {
    this.clock = clock;
    this.idPrefix = formId.slice(0, -8);
  }

  /** Adds one submission. */
  add(row: Submission): void {
    if (row.visibleAt <= this.clock.now()) this.show(row);
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

  /** Deletes a submission, visible or not. */
  delete(id: string): void {
    for (const rows of [this.visible, this.pending]) {
      const index = rows.findIndex((row) => row.id === id);
      if (index >= 0) rows.splice(index, 1);
    }
  }

  /** How many submissions are visible. */
  get count(): number {
    this.reveal();
    return this.visible.length;
  }

  /** One page of the visible submissions, with the number of all that match. */
  select({ after, order, offset, limit, tieOrder }: SubmissionQuery) {
    this.reveal();
    const rows = tieOrder ? shuffled(this.visible, tieOrder).sort(byTime) : this.visible;
    const first = after === undefined ? 0 : this.countBefore(after);
    const total = rows.length - first;
    const [from, to] = [Math.min(offset, total), Math.min(offset + limit, total)];
    if (order === 'asc') return { rows: rows.slice(first + from, first + to), total };
    return { rows: rows.slice(rows.length - to, rows.length - from).reverse(), total };
  }

  /** Every submission that is not deleted, also those not visible yet, oldest first. */
  all(): Submission[] {
    return [...this.visible, ...this.pending].sort(byTime);
  }

  /** How many visible rows were created before this time, milliseconds since 1970 UTC. */
  private countBefore(ms: number): number {
    let [low, high] = [0, this.visible.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.visible[middle]?.at ?? ms) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private reveal(): void {
    const now = this.clock.now();
    const due = this.pending.filter(({ visibleAt }) => visibleAt <= now);
    if (due.length === 0) return;
    this.pending = this.pending.filter(({ visibleAt }) => visibleAt > now);
    for (const row of due) this.show(row);
  }

  /** Puts a row in its place, after those of the same time. */
  private show(row: Submission): void {
    const index = this.visible.findLastIndex((each) => each.at <= row.at) + 1;
    this.visible.splice(index, 0, row);
  }
}

function byTime(one: Submission, other: Submission): number {
  return one.at - other.at;
}
