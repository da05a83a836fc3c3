import type { StoredExecution } from './database.ts';

/** What one form's submissions came to. */
export interface Account {
  submitted: number;
  /** In exactly one execution. */
  once: number;
  /** In none, though n8n had received them: it saved the trigger's place and died before it stored the execution. */
  lostByN8n: string[];
  lostByUs: string[];
  /** In several, because n8n stored an execution and died before it saved the trigger's place. */
  repeatedByN8n: string[];
  repeatedByUs: string[];
  /** In an execution, but not of the form's. */
  foreign: string[];
}

/** What was found in n8n's database after it was killed. */
export interface Wreck {
  executions: StoredExecution[];
  /** How often this life of n8n said that it had received items of this workflow. */
  received: number;
  /** The executions that were there when this life began. */
  before: number;
  /** Whether the saved state says that a submission is dealt with. */
  isDealtWith(submission: string): boolean;
}

/** Keeps account of the submissions of one form. */
export class Ledger {
  private readonly submitted = new Set<string>();
  private readonly lostInWrecks = new Set<string>();
  private readonly unsavedInWrecks = new Set<string>();

  submit(id: string): void {
    this.submitted.add(id);
  }

  /** Notes what a dead n8n will have forgotten when it starts again. */
  inspect({ executions, received, before, isDealtWith }: Wreck): void {
    const stored = new Set(executions.flatMap(({ submissions }) => submissions));
    const dropped = received - (executions.length - before);
    for (const id of this.submitted) {
      if (!stored.has(id) && isDealtWith(id) && dropped > 0) this.lostInWrecks.add(id);
      if (stored.has(id) && !isDealtWith(id)) this.unsavedInWrecks.add(id);
    }
  }

  /** @param executions all of the form's, once nothing more is to come */
  settle(executions: StoredExecution[]): Account {
    const times = new Map<string, number>();
    for (const id of executions.flatMap(({ submissions }) => submissions)) times.set(id, (times.get(id) ?? 0) + 1);
    const all = [...this.submitted];
    const lost = all.filter((id) => !times.has(id));
    const repeated = all.filter((id) => (times.get(id) ?? 0) > 1);
    return {
      submitted: all.length,
      once: all.filter((id) => times.get(id) === 1).length,
      lostByN8n: lost.filter((id) => this.lostInWrecks.has(id)),
      lostByUs: lost.filter((id) => !this.lostInWrecks.has(id)),
      repeatedByN8n: repeated.filter((id) => this.unsavedInWrecks.has(id)),
      repeatedByUs: repeated.filter((id) => !this.unsavedInWrecks.has(id)),
      foreign: [...times.keys()].filter((id) => !this.submitted.has(id)),
    };
  }
}
