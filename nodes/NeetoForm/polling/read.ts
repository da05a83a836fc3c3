/** Reads the due forms of a poll. Each form reads by itself; their pages take turns. */

import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { PAGE_SIZE } from '../api/endpoints';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { FormDetails } from '../submissions/questions';
import { freshRows, type Read } from './batch';
import { lookedAt, type DueForm } from './due';
import { tooSlow } from './forms';
import { look, type Seen } from './looks';
import { toPollError, type PollSession } from './session';

/** Submissions that fit into a page of any size, also where the service ignores the size. */
const SMALL_WINDOW = 30;

/** What a poll has read of one form. */
export interface FormReading extends DueForm {
  read: Read;
  /** How many of the rows are new. */
  fresh: number;
  /** What to store as the time of the last look at the window; undefined when there was none. */
  lookedAt?: number;
  /** The form's title and questions; undefined when nothing is new, when items do without, and when the form does not tell. */
  form?: FormDetails;
  /** Why the form could not be read to its end. What was read before is in `read`. */
  failure?: NodeApiError | NodeOperationError;
}

/** Reads a form's title and questions, or undefined when the form answers that it does not tell. */
export type ReadDetails = (formId: string) => Promise<FormDetails | undefined>;

/** What the forms of a poll share while they are read. */
class Turns {
  /** First in, first out: the first page of each form comes before the second of any. */
  readonly limiter = new RequestLimiter();

  /** Forms in which something was found. */
  withNews = 0;

  /** Submissions that were found, and those that pages under way may bring. */
  private found = 0;

  private expected = 0;

  private waiting: Array<() => void> = [];

  private readonly quota: number;

  constructor(quota: number) {
    this.quota = quota;
  }

  /** Whether the quota has room for another form with news. */
  get isFirstWanted(): boolean {
    return this.withNews < this.quota;
  }

  add(found: number): void {
    this.found += found;
  }

  /**
   * Reads a further page if the quota has room for it, when it is clear what those under way have brought. A form whose first pages show
   * less than its share, because they show what is known, reads on in any case.
   *
   * @param fresh what the form has shown so far
   */
  async further<T>(fresh: number, read: () => Promise<T>): Promise<T | undefined> {
    while (this.expected > 0 && this.found < this.quota && this.found + this.expected >= this.quota)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    const share = Math.floor(this.quota / (this.withNews + (fresh === 0 ? 1 : 0)));
    if (this.found >= this.quota && fresh >= Math.min(share, PAGE_SIZE)) return undefined;
    this.expected += PAGE_SIZE;
    try {
      return await read();
    } finally {
      this.expected -= PAGE_SIZE;
      for (const proceed of this.waiting.splice(0)) proceed();
    }
  }
}

/**
 * Reads due forms: what is recent in each, as far as the quota has room, and the pages of each window that are due.
 *
 * @param quota submissions that the poll emits at most
 * @param readDetails undefined when items do without
 * @returns the forms that the poll came to, in the order of the due forms
 */
export async function readForms(
  session: PollSession,
  due: DueForm[],
  quota: number,
  readDetails?: ReadDetails,
): Promise<FormReading[]> {
  const turns = new Turns(quota);
  const readings = new Map<DueForm, Promise<FormReading | undefined>>();
  const lastLook = ({ state }: DueForm) => state.lookedAt ?? -Infinity;
  const recentFirst = (a: DueForm, b: DueForm) =>
    Number(b.isQuickDue) - Number(a.isQuickDue) || (a.isQuickDue ? 0 : lastLook(a) - lastLook(b));
  for (const form of due.toSorted(recentFirst)) readings.set(form, readForm(session, form, quota, turns, readDetails));
  const inOrder = await Promise.all(due.map(async (form) => await readings.get(form)));
  return inOrder.filter((reading) => reading !== undefined);
}

/** @returns undefined when the poll did not come to the form */
async function readForm(
  session: PollSession,
  due: DueForm,
  quota: number,
  turns: Turns,
  readDetails?: ReadDetails,
): Promise<FormReading | undefined> {
  const { formId, state, isQuickDue, windowPages } = due;
  const { cursor } = state;
  const reading: FormReading = { ...due, read: { rows: [], until: cursor.recent }, fresh: 0 };
  const { read } = reading;
  const progress = { isReached: false };
  let details: Promise<FormDetails | undefined> | undefined;
  const isEnough = (rows: Row[]) => freshRows(cursor, rows).length > quota;

  /** The next page of a look when its turn comes; undefined when the look is over, or ends here. */
  const nextPage = async (pages: AsyncGenerator<Seen, undefined>, isWanted = () => true): Promise<Seen | undefined> =>
    await turns.limiter.run(async () => {
      if (session.isTimeUp || !isWanted()) return undefined;
      progress.isReached = true;
      const { value: page } = await pages.next();
      if (page !== undefined) add(page);
      return page;
    });

  const add = ({ rows, serverTime }: Seen): void => {
    read.rows.push(...rows);
    read.serverTime ??= serverTime;
    const before = reading.fresh;
    reading.fresh = freshRows(cursor, read.rows).length;
    turns.add(reading.fresh - before);
    if (before > 0 || reading.fresh === 0) return;
    turns.withNews++;
    // At once, so that no submission waits for the form when the time for reading is over.
    details = readDetails?.(formId);
    details?.catch(() => undefined);
  };

  // What is recent is read by the quick look, if there is one; then the window is seen to its end where that began.
  const end = isQuickDue ? cursor.recent : Infinity;
  const noteLook = ({ until }: Seen): void => {
    read.lookedTo = until >= end ? Infinity : until;
    if (until === Infinity) read.until = Infinity;
    reading.lookedAt = lookedAt(state, session.clock.now());
  };

  // A small window is read together with what is recent.
  const isOneLook = isQuickDue && windowPages > 0 && cursor.known.size < SMALL_WINDOW;
  try {
    if (isQuickDue) {
      const pages = look(session, formId, isOneLook ? cursor.from : cursor.recent, isEnough);
      let page = await nextPage(pages, () => turns.isFirstWanted);
      while (page !== undefined) {
        if (isOneLook) noteLook(page);
        read.until = Math.max(read.until, page.until);
        page =
          page.until === Infinity ? undefined : await turns.further(reading.fresh, async () => await nextPage(pages));
      }
    }
    // Whatever the quota: a busy form never holds back the window of another.
    const pages = look(session, formId, windowPages === Infinity ? cursor.from : cursor.look, isEnough);
    for (let left = isOneLook ? 0 : windowPages; left > 0 && read.lookedTo !== Infinity; left--) {
      const page = await nextPage(pages);
      if (page === undefined) break;
      noteLook(page);
    }
  } catch (error) {
    reading.failure = toPollError(session.node, error);
  }
  if (!progress.isReached) return undefined;
  // A second may have more rows than a poll has time for.
  const isStuck = isQuickDue && reading.fresh === 0 && read.until <= cursor.recent && session.isTimeUp;
  if (isStuck && session.pause === undefined) reading.failure ??= tooSlow(session, "the form's latest submissions");
  try {
    return { ...reading, form: await details };
  } catch (error) {
    // A submission whose form cannot be read now waits for the next poll.
    const nothing = { rows: [], until: cursor.recent };
    return { ...due, read: nothing, fresh: 0, failure: toPollError(session.node, error) };
  }
}
