import type { StoredExecution } from './database.ts';

/** What happened to the submissions of one form. */
export interface Outcome {
  submitted: number;
  /** In exactly one execution. */
  once: number;
  /** In no execution, because n8n saved the cursor and was killed before it stored the execution. */
  lostByN8n: string[];
  lostByUs: string[];
  /** In several executions, because n8n stored an execution and was killed before it saved the cursor. */
  repeatedByN8n: string[];
  repeatedByUs: string[];
  /** In an execution, but of another form. */
  foreign: string[];
}

/** What n8n's database contains after it was killed. */
export interface KilledState {
  executions: StoredExecution[];
  /** How often n8n received items of this workflow since its last start. */
  received: number;
  /** The number of executions at its last start. */
  before: number;
  /** Whether the next poll would skip a submission. */
  isSettled(submission: string): boolean;
}

/** Follows the submissions of one form through all kills. */
export class SubmissionAccount {
  private readonly submitted = new Set<string>();
  private readonly lost = new Set<string>();
  private readonly unsaved = new Set<string>();

  add(id: string): void {
    this.submitted.add(id);
  }

  /** Notes what n8n will not know when it starts again. */
  inspect({ executions, received, before, isSettled }: KilledState): void {
    const stored = new Set(executions.flatMap(({ submissions }) => submissions));
    const dropped = received - (executions.length - before);
    for (const id of this.submitted) {
      if (!stored.has(id) && isSettled(id) && dropped > 0) this.lost.add(id);
      if (stored.has(id) && !isSettled(id)) this.unsaved.add(id);
    }
  }

  /** @param executions all executions of the workflow, after the last poll */
  close(executions: StoredExecution[]): Outcome {
    const times = new Map<string, number>();
    for (const id of executions.flatMap(({ submissions }) => submissions)) times.set(id, (times.get(id) ?? 0) + 1);
    const all = [...this.submitted];
    const missing = all.filter((id) => !times.has(id));
    const repeated = all.filter((id) => (times.get(id) ?? 0) > 1);
    return {
      submitted: all.length,
      once: all.filter((id) => times.get(id) === 1).length,
      lostByN8n: missing.filter((id) => this.lost.has(id)),
      lostByUs: missing.filter((id) => !this.lost.has(id)),
      repeatedByN8n: repeated.filter((id) => this.unsaved.has(id)),
      repeatedByUs: repeated.filter((id) => !this.unsaved.has(id)),
      foreign: [...times.keys()].filter((id) => !this.submitted.has(id)),
    };
  }
}
