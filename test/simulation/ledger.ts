/** What a trigger owes: what appears within a week of its creation time. It knows nothing of how a trigger works. */

import { DAY } from '../trigger/outcome';
import type { Form, Row } from './service';

interface Account {
  /** Past: visible before. Open: the interface does not tell whether it is past. Lost: by n8n. */
  state: 'owed' | 'past' | 'open' | 'lost';
  delivered: number;
  /** How often n8n itself may repeat it after a crash. */
  mayRepeat: number;
}

export class Ledger {
  /** The forms that it watches: what was created at this time (ms) or earlier is not owed. */
  readonly watched = new Map<Form, number>();
  private readonly accounts = new Map<Row, Account>();

  /** It begins to watch a form: what was created up to `reach` is not owed, and what is visible since `openSince` is open (ms). */
  start(form: Form, reach: number, openSince: number): void {
    this.watched.set(form, reach);
    // It knows nothing any more of what it delivered before it let go of the form.
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

  /** It emits these in one poll. @throws Error that says what is wrong with it */
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

  /** What is visible, owed, and not delivered. */
  get missing(): Row[] {
    return this.visible.filter((row) => this.isOwed(row) && this.of(row).delivered === 0);
  }

  /** How many submissions it was shown, and of how many it is open whether it owes them. */
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
