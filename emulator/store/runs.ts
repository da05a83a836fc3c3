import { hex8, hash } from '../random.ts';
import { formatTimestamp } from './timestamps.ts';
import type { HistoryInput, Submission } from './types.ts';

/** Submissions in order of creation. Times are microseconds since 1970 UTC. */
export interface Run {
  readonly length: number;
  microsAt(index: number): number;
  at(index: number): Submission;
  /** How many were created before this time. */
  countBefore(micros: number): number;
}

/** Submissions that are kept one by one. */
export class StoredRun implements Run {
  private readonly rows: Submission[] = [];

  get length(): number {
    return this.rows.length;
  }

  at(index: number): Submission {
    const row = this.rows[index];
    if (!row) throw new RangeError(`There is no row ${index}`);
    return row;
  }

  microsAt(index: number): number {
    return this.at(index).micros;
  }

  countBefore(micros: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.microsAt(middle) < micros) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Puts a row in its place, behind those of the same time. */
  insert(row: Submission): void {
    this.rows.splice(this.countBefore(row.micros + 1), 0, row);
  }

  /** Takes a row out. */
  remove(row: Submission): void {
    const index = this.rows.indexOf(row, this.countBefore(row.micros));
    if (index >= 0) this.rows.splice(index, 1);
  }
}

const SPREAD = 0x9e3779b1;
const GATHER = inverse(SPREAD);

/**
 * Submissions that are computed when they are asked for, so that a million of them take no memory.
 * The id of a row holds its index, so that a row can also be found by its id.
 */
export class HistoryRun implements Run {
  readonly length: number;
  private readonly formId: string;
  private readonly history: HistoryInput;
  private readonly first: number;
  private readonly prefix: string;

  /**
   * @param name what makes the ids of this history differ from those of others
   * @param first index of the first row that this run holds
   */
  constructor(formId: string, history: HistoryInput, name: string, first = 0, length = history.count) {
    this.formId = formId;
    this.history = history;
    this.first = first;
    this.length = length;
    const digits = hex8(hash(name));
    this.prefix = `${digits}-${digits.slice(2, 6)}-4${digits.slice(5)}-9${digits.slice(0, 3)}-${digits.slice(4)}`;
  }

  microsAt(index: number): number {
    return (this.history.from + (this.first + index) * this.history.everyMs) * 1000;
  }

  at(index: number): Submission {
    const micros = this.microsAt(index);
    return {
      id: this.prefix + hex8(Math.imul(this.first + index, SPREAD)),
      formId: this.formId,
      micros,
      createdAt: formatTimestamp(micros),
      visibleAt: Number.NEGATIVE_INFINITY,
      answers: {},
      fieldValues: [],
      responses: undefined,
    };
  }

  countBefore(micros: number): number {
    const start = this.microsAt(0);
    if (micros <= start) return 0;
    const step = this.history.everyMs * 1000;
    return step === 0 ? this.length : Math.min(this.length, Math.ceil((micros - start) / step));
  }

  /** The index of the row with this id, or undefined when this run does not hold it. */
  indexOf(id: string): number | undefined {
    if (!id.startsWith(this.prefix) || id.length !== this.prefix.length + 8) return undefined;
    const index = (Math.imul(Number.parseInt(id.slice(-8), 16), GATHER) >>> 0) - this.first;
    return index >= 0 && index < this.length && this.at(index).id === id ? index : undefined;
  }

  /** The same rows in two runs, without the one at `index`. */
  without(index: number, name: string): HistoryRun[] {
    return [
      new HistoryRun(this.formId, this.history, name, this.first, index),
      new HistoryRun(this.formId, this.history, name, this.first + index + 1, this.length - index - 1),
    ].filter((run) => run.length > 0);
  }
}

function inverse(odd: number): number {
  let result = odd;
  // Each step of Newton's method doubles the number of correct low bits.
  for (let step = 0; step < 5; step += 1) result = Math.imul(result, 2 - Math.imul(odd, result));
  return result;
}
