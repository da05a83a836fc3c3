import type { Clock } from '../clock.ts';
import type { Submission } from './types.ts';

/** Which of a form's submissions are requested. */
export interface SubmissionQuery {
  /** Inclusive lower bound of the creation time, milliseconds since 1970 UTC. */
  after?: number;
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
}

/** All submissions of one form. */
export class SubmissionLog {
  private readonly formId: string;
  private readonly clock: Clock;
  /** Oldest first. */
  private readonly rows: Submission[] = [];

  constructor(formId: string, clock: Clock) {
    this.formId = formId;
    this.clock = clock;
  }

  /** Adds one submission, behind those of the same time. */
  add(row: Submission): void {
    this.rows.splice(this.rows.findLastIndex(({ at }) => at <= row.at) + 1, 0, row);
  }

  /** Adds many submissions without answers: the nth, from 0 on, was made at `from + n * everyMs`. */
  addHistory({ count, from, everyMs }: Record<'count' | 'from' | 'everyMs', number>): void {
    for (let nth = 0; nth < count; nth += 1) {
      const at = from + nth * everyMs;
      const id = this.formId.slice(0, -8) + nth.toString(16).padStart(8, '0');
      this.add({ id, at, createdAt: new Date(at).toISOString(), answers: {}, fieldValues: [] });
    }
  }

  /** Deletes a submission, visible or not. */
  delete(id: string): void {
    const index = this.rows.findIndex((row) => row.id === id);
    if (index >= 0) this.rows.splice(index, 1);
  }

  /** How many submissions are visible. */
  get count(): number {
    return this.visible().length;
  }

  /** One page of the visible submissions, with the number of all that match. */
  select({ after, order, offset, limit }: SubmissionQuery) {
    const rows = this.visible(after);
    if (order === 'desc') rows.reverse();
    return { rows: rows.slice(offset, offset + limit), total: rows.length };
  }

  /** Every submission that is not deleted, also those not visible yet, oldest first. */
  all(): Submission[] {
    return [...this.rows];
  }

  private visible(after = -Infinity): Submission[] {
    const now = this.clock.now();
    return this.rows.filter(({ at, visibleAt = -Infinity }) => at >= after && visibleAt <= now);
  }
}
