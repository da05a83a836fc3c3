/** What a trigger owes, from what happened at the service alone. It knows nothing of how a trigger works. */

import type { Form, Row } from './service';

/** ms, how late a submission may appear after its own creation time. */
const WEEK = 7 * 24 * 3_600_000;

/** A trigger begins to watch a form of which it knows nothing. */
export interface Start {
  /** ms: the first poll began and ended. */
  began: number;
  ended: number;
  /** Rows of a page at most: the newest page is what the first poll sees. */
  pageSize: number;
  /** ms, the option Start From in the first publication. */
  startFrom: number | undefined;
  /** Something failed meanwhile, so that the form may not have been read. */
  isBlind: boolean;
}

interface Account {
  /** Past: visible before. Open: the interface does not tell whether it is past. Lost: by n8n. */
  state: 'owed' | 'past' | 'open' | 'lost';
  delivered: number;
  /** How often n8n itself may repeat it after a crash. */
  mayRepeat: number;
}

export class Ledger {
  /** The forms that it watches, with creation times (ms): what is older than `from` is past, and up to `reach` it is not owed. */
  readonly watched = new Map<Form, { from: number; reach: number }>();
  private readonly accounts = new Map<Row, Account>();

  /** It begins to watch a form that is new at the service: everything in it is owed. */
  watchNew(form: Form): void {
    this.watched.set(form, { from: -Infinity, reach: -Infinity });
  }

  /** It begins to watch a form. */
  start(form: Form, { began, ended, pageSize, startFrom, isBlind }: Start): void {
    const shown = form.rows.filter(({ isThere }) => isThere);
    const behindNewest = isBlind ? ended : (shown.at(-pageSize)?.created ?? -Infinity);
    this.watched.set(form, { from: startFrom ?? -Infinity, reach: startFrom === undefined ? behindNewest : -Infinity });
    for (const row of form.rows) {
      const account = this.of(row);
      // To a cursor that begins again, what is deleted now is new when it is restored.
      if (!row.isThere) account.mayRepeat = account.delivered;
      const isNew = !row.isThere || startFrom !== undefined;
      account.state = isNew ? 'owed' : isBlind || row.since > began ? 'open' : 'past';
    }
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
    for (const { id, form } of rows) if (!this.watched.has(form)) throw new Error(`${id}: ${form.id} is not watched`);
    for (const row of rows) {
      const { id, form, created } = row;
      const account = this.of(row);
      account.delivered++;
      if (this.isPast(row)) throw new Error(`${id} is of the past`);
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
    const { visible } = this;
    const open = visible.filter((row) => !this.isPast(row) && !this.isOwed(row) && this.of(row).state !== 'lost');
    return { rows: visible.length, open: open.length };
  }

  private get visible(): Row[] {
    const forms = [...this.watched.keys()].filter(({ isArchived }) => !isArchived);
    return forms.flatMap(({ rows }) => rows.filter(({ isThere }) => isThere));
  }

  private isPast(row: Row): boolean {
    return this.of(row).state === 'past' || row.created < (this.watched.get(row.form)?.from ?? 0);
  }

  private isOwed(row: Row): boolean {
    const { reach = Infinity } = this.watched.get(row.form) ?? {};
    const isInTime = row.since < row.created + WEEK;
    return this.of(row).state === 'owed' && !this.isPast(row) && row.created > reach && isInTime;
  }

  private of(row: Row): Account {
    const account = this.accounts.get(row) ?? { state: 'owed', delivered: 0, mayRepeat: 0 };
    this.accounts.set(row, account);
    return account;
  }
}
