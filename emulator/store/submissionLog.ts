import type { Clock } from '../clock.ts';
import { createRandom, hash, hex8, shuffled, type Random } from '../random.ts';
import { formatTimestamp } from './timestamps.ts';
import type { HistoryInput, Submission } from './types.ts';

/** Which of a form's submissions are requested. */
export interface SubmissionQuery {
  /** Inclusive lower bound of the creation time, microseconds since 1970 UTC. */
  after?: number;
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
  /** When present, rows of equal time come in an order that it decides. */
  tieOrder?: Random;
}

/** All submissions of one form, ordered by creation time; one page costs the same however many there are. */
export class SubmissionLog {
  private readonly clock: Clock;
  /** What the ids of computed rows begin with. */
  private readonly idPrefix: string;
  /** Rows that are computed when they are requested, so that a million of them take no memory. All others are younger. */
  private history: HistoryInput = { count: 0, from: 0, everyMs: 0 };
  /** The other visible rows. */
  private readonly stored: Submission[] = [];
  private pending: Submission[] = [];
  private readonly byId = new Map<string, Submission>();
  private readonly deleted = new Map<string, Submission>();
  /** When the number of visible rows changed, and by how much. */
  private readonly changes: Array<{ at: number; by: number }> = [];

  constructor(formId: string, clock: Clock) {
    this.clock = clock;
    this.idPrefix = createRandom(hash(formId)).uuid().slice(0, -8);
  }

  /** Adds one submission. */
  add(row: Submission): void {
    if (this.byId.has(row.id)) throw new Error(`There already is a submission ${row.id}`);
    if (this.countBefore(row.micros) < this.history.count) throw new Error('A submission is older than the history');
    this.byId.set(row.id, row);
    if (row.visibleAt <= this.clock.now()) this.show(row, this.clock.now());
    else this.pending.push(row);
  }

  /** Adds a computed past to a form that has no submissions yet. */
  addHistory(history: HistoryInput): void {
    if (this.length > 0 || this.byId.size > 0) throw new Error('A history comes before all other submissions');
    this.history = history;
    this.changes.push({ at: this.clock.now(), by: history.count });
  }

  /** The submission with this id, visible or not; undefined when there is none, it was deleted, or it is computed. */
  find(id: string): Submission | undefined {
    return this.byId.get(id);
  }

  /** Deletes a submission. Returns whether there was one. */
  delete(id: string): boolean {
    this.reveal();
    const row = this.byId.get(id);
    if (!row) return false;
    this.byId.delete(id);
    this.deleted.set(id, row);
    const index = this.stored.indexOf(row);
    if (index < 0) this.pending = this.pending.filter((each) => each !== row);
    else {
      this.stored.splice(index, 1);
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
    return later.reduce((count, { by }) => count - by, this.length);
  }

  /** One page of the visible submissions, with the number of all that match. */
  select({ after, order, offset, limit, tieOrder }: SubmissionQuery): { rows: Submission[]; total: number } {
    this.reveal();
    const skipped = after === undefined ? 0 : this.countBefore(after);
    const total = this.length - skipped;
    const from = Math.min(offset, total);
    const to = Math.min(from + limit, total);
    if (order === 'asc') return { rows: this.slice(skipped + from, skipped + to, tieOrder), total };
    return { rows: this.slice(this.length - to, this.length - from, tieOrder).reverse(), total };
  }

  /** Every submission that is not deleted, also those not visible yet, oldest first. */
  all(): Submission[] {
    return [...this.slice(0, this.length), ...this.pending].sort(byTime);
  }

  private get length(): number {
    return this.history.count + this.stored.length;
  }

  private slice(start: number, end: number, tieOrder?: Random): Submission[] {
    const rows = Array.from({ length: end - start }, (_, index) => this.at(start + index));
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (!tieOrder || !first || !last) return rows;
    // A tie that reaches over the edge of the page is shuffled as a whole, or rows could never change pages.
    const from = this.countBefore(first.micros);
    const ties = shuffled(this.slice(from, this.countBefore(last.micros + 1)), tieOrder).sort(byTime);
    return ties.slice(start - from, end - from);
  }

  private at(index: number): Submission {
    const { count, from, everyMs } = this.history;
    const row = this.stored[index - count];
    if (row) return row;
    const micros = (from + index * everyMs) * 1000;
    return {
      // An odd factor spreads the ids over all 32 bits without a repetition.
      id: this.idPrefix + hex8(Math.imul(index, 0x9e3779b1)),
      micros,
      createdAt: formatTimestamp(micros),
      visibleAt: Number.NEGATIVE_INFINITY,
      answers: {},
      fieldValues: [],
      responses: undefined,
    };
  }

  /** How many visible rows were created before this time, microseconds since 1970 UTC. */
  private countBefore(micros: number): number {
    const { count, from, everyMs } = this.history;
    const computed = micros <= from * 1000 ? 0 : Math.ceil((micros - from * 1000) / (everyMs * 1000));
    if (computed < count) return computed;
    let [low, high] = [0, this.stored.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.stored[middle]?.micros ?? 0) < micros) low = middle + 1;
      else high = middle;
    }
    return count + low;
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
    this.stored.splice(this.countBefore(row.micros + 1) - this.history.count, 0, row);
    this.changes.push({ at, by: 1 });
  }
}

function byTime(one: Submission, other: Submission): number {
  return one.micros - other.micros;
}
