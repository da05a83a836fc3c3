import { DAY } from '../trigger/outcome';
import type { Form, Row } from './service';

interface Account {
  /** Past: visible before the trigger began. Open: the interface does not tell whether it is past. Lost: by n8n itself. */
  state: 'owed' | 'past' | 'open' | 'lost';
  delivered: number;
  /** How often n8n itself may repeat it. */
  mayRepeat: number;
}

/** Keeps what a trigger owes: each submission that appears within a week of its creation time. */
export class Ledger {
  /** Each form with a time (ms): what was created then or earlier is not owed. */
  readonly watched = new Map<Form, number>();
  private readonly accounts = new Map<Row, Account>();

  /** The trigger begins to watch a form. What was created up to `reach` is not owed; what became visible since `openSince` is open (ms). */
  start(form: Form, reach: number, openSince: number): void {
    this.watched.set(form, reach);
    // If the trigger watched this form before, it has forgotten what it delivered then.
    for (const row of this.accounts.keys()) if (row.form === form) this.accounts.delete(row);
    for (const row of form.rows) this.of(row).state = row.since > openSince ? 'open' : 'past';
  }

  /** n8n died when it had stored that these were emitted, and had not stored their execution. */
  excuseLoss(rows: Row[]): void {
    for (const row of rows) this.of(row).state = 'lost';
  }

  /** n8n died when it had stored the execution of these, and not that they were emitted. */
  excuseRepetition(rows: Row[]): void {
    for (const row of rows) this.of(row).mayRepeat++;
  }

  /** These are emitted in one poll. @throws Error when one of them is not owed, or was delivered before */
  deliver(rows: Row[]): void {
    const latest = new Map<Form, number>();
    for (const row of rows) {
      const { id, form, created } = row;
      const account = this.of(row);
      account.delivered++;
      if (!this.watched.has(form)) throw new Error(`${id}: ${form.id} is not watched`);
      if (account.state === 'past') throw new Error(`${id} is of the past`);
      if (account.delivered > 1 + account.mayRepeat) throw new Error(`${id} is repeated`);
      if (created < (latest.get(form) ?? -Infinity)) throw new Error(`${id} is emitted after a newer one of its form`);
      latest.set(form, created);
    }
  }

  /** The submissions that are visible, owed, and not delivered. */
  get missing(): Row[] {
    return this.visible.filter((row) => this.isOwed(row) && this.of(row).delivered === 0);
  }

  /** How many submissions there are, and of how many it is open whether they are owed. */
  get tally(): { rows: number; open: number } {
    const open = this.visible.filter((row) => !this.isOwed(row) && !['past', 'lost'].includes(this.of(row).state));
    return { rows: this.visible.length, open: open.length };
  }

  private get visible(): Row[] {
    return [...this.watched.keys()].flatMap(({ isArchived, rows }) => (isArchived ? [] : rows));
  }

  private isOwed(row: Row): boolean {
    const reach = this.watched.get(row.form) ?? Infinity;
    return this.of(row).state === 'owed' && row.created > reach && row.since < row.created + 7 * DAY;
  }

  private of(row: Row): Account {
    const account = this.accounts.get(row) ?? { state: 'owed', delivered: 0, mayRepeat: 0 };
    this.accounts.set(row, account);
    return account;
  }
}
