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

  /** Inserts a row in its place, after those of the same time. */
  insert(row: Submission): void {
    this.rows.splice(this.countBefore(row.micros + 1), 0, row);
  }

  /** Removes a row. */
  remove(row: Submission): void {
    const index = this.rows.indexOf(row, this.countBefore(row.micros));
    if (index >= 0) this.rows.splice(index, 1);
  }
}

/** Submissions that are computed when they are requested, so that a million of them take no memory. */
export class HistoryRun implements Run {
  readonly length: number;
  private readonly formId: string;
  private readonly history: HistoryInput;
  private readonly prefix: string;

  /** @param name what makes the ids of this history differ from those of others */
  constructor(formId: string, history: HistoryInput, name: string) {
    this.formId = formId;
    this.history = history;
    this.length = history.count;
    const digits = hex8(hash(name));
    this.prefix = `${digits}-${digits.slice(2, 6)}-4${digits.slice(5)}-9${digits.slice(0, 3)}-${digits.slice(4)}`;
  }

  microsAt(index: number): number {
    return (this.history.from + index * this.history.everyMs) * 1000;
  }

  at(index: number): Submission {
    const micros = this.microsAt(index);
    return {
      // An odd factor spreads the ids over all 32 bits without a repetition.
      id: this.prefix + hex8(Math.imul(index, 0x9e3779b1)),
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
}
