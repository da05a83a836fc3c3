import type { Clock } from '../api/clock';
import { createdMs } from '../api/parse';
import { UnexpectedResponse } from '../api/shape';
import type { Submission } from '../api/types';
import type { AskForPage, SubmissionPage } from './ask';
import type { Harvest } from './cursor';

const SECOND = 1_000;

/** A service that never shows the same rows twice cannot be read; one that is merely busy needs two or three passes. */
const MAX_PASSES = 20;

export interface Drain {
  ask: AskForPage;
  harvest: Harvest;
  clock: Clock;
  /** ms on the clock: no request begins after it. */
  deadline: number;
}

/**
 * Reads submissions upward from the cursor until the list ends, the harvest is full or the time is up.
 *
 * It goes by value: each request begins at the last row's own second. Going by page number would skip a row whenever another is
 * deleted between two requests. Only where a whole page lies in one second is that second read by number, again and again until
 * all of it is known.
 *
 * @param cursorMs ms, where the cursor stands
 * @returns whether the list's end was reached
 * @throws what `ask` throws
 */
export async function drain(work: Drain, cursorMs: number): Promise<boolean> {
  const { harvest } = work;
  let from = secondOf(cursorMs);
  while (!isTimeUp(work)) {
    const page = await ask(work, from, 1);
    const last = page.rows.at(-1);
    if (last === undefined) return true;
    const lastMs = createdMs(last);
    harvest.take(page.rows);
    if (lastMs >= from) harvest.markRead(lastMs);
    if (harvest.isFull) return false;
    if (isWhole(page)) return true;
    if (secondOf(lastMs) > from) {
      from = secondOf(lastMs);
      continue;
    }
    const bound = lastMs < from ? Infinity : from + SECOND;
    const outcome = await readByNumber(work, from, page, bound);
    if (outcome !== 'bound reached') return outcome === 'list ended';
    from = bound;
  }
  return false;
}

type Reach = 'bound reached' | 'list ended' | 'stopped';

/** Whether a page shows all there is. A short page alone proves nothing: the service may cap pages below what was asked. */
function isWhole({ rows, total }: SubmissionPage): boolean {
  return total !== undefined && rows.length >= total;
}

/**
 * Reads the rows before `bound` page by page, pass after pass, until all are known. Rows with one time may come in another order
 * each time, and a deletion moves rows to an earlier page, so a pass may miss some.
 *
 * @param bound ms: the end of the second that fills a page, or Infinity for a service that ignores `submitted_after`
 * @returns how far it came; 'stopped' when the rest is for the next poll
 */
async function readByNumber(work: Drain, from: number, first: SubmissionPage, bound: number): Promise<Reach> {
  const { harvest } = work;
  const tally = new Tally();
  let page: SubmissionPage | undefined = first;
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const reach = await readPass(work, from, bound, tally, page);
    page = undefined;
    if (reach === 'stopped') return 'stopped';
    if (reach === 'list ended' && tally.isSinglePage) return reach;
    if (!tally.hasAll) continue;
    harvest.markRead(Math.min(bound, tally.newest + SECOND));
    return reach;
  }
  if (harvest.isEmpty)
    throw new UnexpectedResponse(
      'the submissions of one second cannot be read completely, for the pages contradict each other',
    );
  return 'stopped';
}

/** Reads pages 1, 2, 3 … until a row at or after `bound`, or the end. */
async function readPass(
  work: Drain,
  from: number,
  bound: number,
  tally: Tally,
  first: SubmissionPage | undefined,
): Promise<Reach> {
  tally.beginPass();
  for (let number = 1; ; number++) {
    if (isTimeUp(work)) return 'stopped';
    const page = number === 1 && first !== undefined ? first : await ask(work, from, number);
    const within = page.rows.filter((row) => createdMs(row) < bound);
    work.harvest.take(within);
    if (work.harvest.isFull) return 'stopped';
    const isNew = tally.count(within, page.total);
    if (within.length < page.rows.length) return 'bound reached';
    if (!isNew || tally.hasAllOf(page.total)) return 'list ended';
  }
}

/** Counts which rows the passes have shown, to tell when all are known. */
class Tally {
  /** ms, the newest creation time shown. */
  newest = 0;

  private readonly known = new Set<string>();

  private inThisPass = new Set<string>();

  /** Rows that this pass showed, each as often as it was shown: as many as there are, if none was deleted meanwhile. */
  private shownInThisPass = 0;

  private pagesInThisPass = 0;

  private knownBefore = 0;

  private cleanPasses = 0;

  private total: number | undefined;

  beginPass(): void {
    this.cleanPasses = this.wasClean ? this.cleanPasses + 1 : 0;
    this.inThisPass = new Set();
    this.shownInThisPass = 0;
    this.pagesInThisPass = 0;
    this.knownBefore = this.known.size;
  }

  /** @returns whether the page showed a row that this pass had not shown yet */
  count(rows: Submission[], total: number | undefined): boolean {
    this.compare(total);
    const before = this.inThisPass.size;
    for (const row of rows) {
      this.inThisPass.add(row.id);
      this.known.add(row.id);
      this.newest = Math.max(this.newest, createdMs(row));
    }
    this.shownInThisPass += rows.length;
    if (rows.length > 0) this.pagesInThisPass++;
    return this.inThisPass.size > before;
  }

  private compare(total: number | undefined): void {
    if (total !== undefined && this.total !== undefined && total < this.total) this.startAnew();
    this.total = total;
  }

  /** A row was deleted: it may be among the known ones, in the place of one that is still to be shown. */
  private startAnew(): void {
    this.known.clear();
    this.knownBefore = -1;
    this.cleanPasses = 0;
  }

  hasAllOf(total: number | undefined): boolean {
    return total !== undefined && this.inThisPass.size >= total;
  }

  /** Whether this pass met one page only: then no row can have slipped from a later page to an earlier one. */
  get isSinglePage(): boolean {
    return this.pagesInThisPass <= 1;
  }

  /** Whether this pass showed nothing that was not known before it. */
  private get wasClean(): boolean {
    return this.known.size > 0 && this.known.size === this.knownBefore;
  }

  /**
   * Whether every row is known: a pass showed nothing new, and no row of it stood in the place of another. Without a total, which
   * would tell of a deletion, it takes a second such pass.
   */
  get hasAll(): boolean {
    return (
      this.wasClean && this.known.size >= this.shownInThisPass && (this.total !== undefined || this.cleanPasses >= 1)
    );
  }
}

async function ask({ ask: askForPage, harvest }: Drain, after: number, page: number): Promise<SubmissionPage> {
  const answer = await askForPage({ after, order: 'asc', page });
  harvest.noteServerTime(answer.serverTime);
  return answer;
}

function isTimeUp({ clock, deadline }: Drain): boolean {
  return clock.now() >= deadline;
}

/** The whole second of a time, rounded down; ms. */
export function secondOf(ms: number): number {
  return Math.floor(ms / SECOND) * SECOND;
}
