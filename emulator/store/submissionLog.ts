import { shuffled, type Random } from '../random.ts';
import { HistoryRun, StoredRun, type Run } from './runs.ts';
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
  private readonly formId: string;
  private readonly stored = new StoredRun();
  private readonly histories: HistoryRun[] = [];
  private readonly byId = new Map<string, Submission>();
  private readonly deleted = new Map<string, Submission>();
  /** Rows that are not visible yet, the one that will be visible first at the end. */
  private readonly pending: Submission[] = [];
  /** When the number of visible rows changed, by how much, in this order. */
  private readonly changes: Array<{ at: number; by: number }> = [];

  constructor(formId: string) {
    this.formId = formId;
  }

  /** Adds one submission. */
  add(row: Submission, now: number): void {
    if (this.find(row.id)) throw new Error(`There already is a submission ${row.id}`);
    this.reveal(now);
    this.byId.set(row.id, row);
    if (row.visibleAt <= now) {
      this.stored.insert(row);
      this.changes.push({ at: now, by: 1 });
    } else this.postpone(row);
  }

  /** Adds a computed past. */
  addHistory(history: HistoryInput, now: number): void {
    this.reveal(now);
    this.changes.push({ at: now, by: history.count });
    const name = `${this.formId}#${this.histories.length + 1}`;
    if (history.count > 0) this.histories.push(new HistoryRun(this.formId, history, name));
  }

  /** The submission with this id, visible or not; undefined when there is none, it was deleted, or it is computed. */
  find(id: string): Submission | undefined {
    return this.byId.get(id);
  }

  /** Deletes a submission. Returns whether there was one. */
  delete(id: string, now: number): boolean {
    const row = this.byId.get(id);
    if (!row) return false;
    this.reveal(now);
    this.byId.delete(id);
    this.deleted.set(id, row);
    const waiting = this.pending.indexOf(row);
    if (waiting >= 0) this.pending.splice(waiting, 1);
    else {
      this.stored.remove(row);
      this.changes.push({ at: now, by: -1 });
    }
    return true;
  }

  /** Restores a deleted submission. Returns whether there was one. */
  restore(id: string, now: number): boolean {
    const row = this.deleted.get(id);
    if (!row) return false;
    this.deleted.delete(id);
    this.add(row, now);
    return true;
  }

  /**
   * How many submissions are visible.
   * @param now milliseconds since 1970 UTC
   * @param lagMs instead of now, so many milliseconds before
   */
  count(now: number, lagMs = 0): number {
    this.reveal(now);
    let count = sizeOf(this.runs());
    if (lagMs <= 0) return count;
    for (let index = this.changes.length - 1; index >= 0; index -= 1) {
      const change = this.changes[index];
      if (!change || change.at <= now - lagMs) break;
      count -= change.by;
    }
    return count;
  }

  /**
   * One page of the visible submissions, with the number of all that match.
   * @param now milliseconds since 1970 UTC
   */
  select(query: SubmissionQuery, now: number): { rows: Submission[]; total: number } {
    this.reveal(now);
    const runs = this.runs();
    const size = sizeOf(runs);
    const skipped = countBefore(runs, query.after ?? Number.NEGATIVE_INFINITY);
    const total = size - skipped;
    const from = Math.min(query.offset, total);
    const to = Math.min(from + query.limit, total);
    const ascending = query.order === 'asc';
    const start = ascending ? skipped + from : size - to;
    const end = ascending ? skipped + to : size - from;
    const rows = query.tieOrder ? sliceShuffled(runs, start, end, query.tieOrder) : slice(runs, start, end);
    return { rows: ascending ? rows : rows.reverse(), total };
  }

  /** Every submission that is not deleted, also those not visible yet, oldest first. */
  all(): Submission[] {
    const runs = this.runs();
    return [...slice(runs, 0, sizeOf(runs)), ...this.pending].sort((one, other) => one.micros - other.micros);
  }

  private runs(): Run[] {
    return [...this.histories, this.stored];
  }

  private postpone(row: Submission): void {
    let place = this.pending.length;
    while (place > 0 && (this.pending[place - 1]?.visibleAt ?? 0) <= row.visibleAt) place -= 1;
    this.pending.splice(place, 0, row);
  }

  private reveal(now: number): void {
    for (let row = this.pending.at(-1); row && row.visibleAt <= now; row = this.pending.at(-1)) {
      this.pending.pop();
      this.stored.insert(row);
      this.changes.push({ at: row.visibleAt, by: 1 });
    }
  }
}

function sizeOf(runs: Run[]): number {
  return runs.reduce((sum, run) => sum + run.length, 0);
}

function countBefore(runs: Run[], micros: number): number {
  return runs.reduce((sum, run) => sum + run.countBefore(micros), 0);
}

/** The greatest time before which no more than `rank` rows were created: the time of the row at that rank. */
function microsAtRank(runs: Run[], rank: number): number {
  const filled = runs.filter((run) => run.length > 0);
  let low = Math.min(...filled.map((run) => run.microsAt(0)));
  let high = Math.max(...filled.map((run) => run.microsAt(run.length - 1)));
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (countBefore(runs, middle) <= rank) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The rows from rank `start` up to, not including, rank `end` of all runs taken together. */
function slice(runs: Run[], start: number, end: number): Submission[] {
  if (start >= end) return [];
  const micros = microsAtRank(runs, start);
  let tied = start - countBefore(runs, micros);
  const cursors = runs.map((run) => {
    const first = run.countBefore(micros);
    const passed = Math.min(tied, run.countBefore(micros + 1) - first);
    tied -= passed;
    return { run, next: first + passed };
  });

  const rows: Submission[] = [];
  while (rows.length < end - start) {
    let earliest: { run: Run; next: number } | undefined;
    for (const cursor of cursors) {
      if (cursor.next >= cursor.run.length) continue;
      if (!earliest || cursor.run.microsAt(cursor.next) < earliest.run.microsAt(earliest.next)) earliest = cursor;
    }
    if (!earliest) break;
    rows.push(earliest.run.at(earliest.next));
    earliest.next += 1;
  }
  return rows;
}

function sliceShuffled(runs: Run[], start: number, end: number, random: Random): Submission[] {
  if (start >= end) return [];
  // A tie that reaches over the edge of the page is shuffled as a whole, or rows could never change pages.
  const from = countBefore(runs, microsAtRank(runs, start));
  const to = countBefore(runs, microsAtRank(runs, end - 1) + 1);
  const rows = slice(runs, from, to);
  const mixed: Submission[] = [];
  for (let index = 0; index < rows.length;) {
    const micros = rows[index]?.micros;
    let next = index;
    while (next < rows.length && rows[next]?.micros === micros) next += 1;
    mixed.push(...(next - index > 1 ? shuffled(rows.slice(index, next), random) : rows.slice(index, next)));
    index = next;
  }
  return mixed.slice(start - from, end - from);
}
