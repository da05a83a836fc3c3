import { PAGE_SIZE } from './endpoints';
import { inOrder } from './inOrder';
import type { Page, Row } from './parse';
import { UnexpectedResponse } from './errors';

/** A list that changes while it is read is read again, at most this often. */
const MAX_PASSES = 5;

/** How many rows a page holds when the service ignores the page size. */
const DEFAULT_PAGE_SIZE = 30;

/** A numbered list of the service. */
export interface List<T> {
  /** Requests page 1, 2, 3 …; the signal aborts when the page is no longer needed. */
  readPage: (page: number, signal?: AbortSignal) => Promise<Page>;
  /** What to keep of a row, undefined when it is not wanted. Called once per row, as soon as its page is there. */
  pick: (row: Row) => T | undefined;
  /** Whether `pick` refuses rows, so that the number of rows says nothing about the number of results. */
  isFiltered?: boolean;
  /** The part of the list to read. Default: all of it. */
  range?: DateRange;
}

/** A part of a list that is sorted by creation time. */
export interface DateRange {
  /** ms, inclusive */
  after?: number;
  /** ms, exclusive */
  before?: number;
  order: 'asc' | 'desc';
  /** Requests the first rows created at or after a time (ms), oldest first, to learn how many there are. */
  countFrom: (ms: number) => Promise<Page>;
}

/** Where a range lies in its list. */
interface Location {
  firstPage: number;
  /** Rows of the list that are later than the range. Undefined when only reading can tell where the range ends. */
  later?: number;
}

/** Whether a row was created within a range, or its creation time is unknown. */
export function isInRange(
  { after = -Infinity, before = Infinity }: Pick<DateRange, 'after' | 'before'>,
  row: Row,
): boolean {
  return !(row.createdMs < after || row.createdMs >= before);
}

/** Whether no row of the range can follow the rows of a page, as far as the service keeps to the order. */
function isBeyondRange({ after = -Infinity, before = Infinity, order }: DateRange, rows: Row[]): boolean {
  const times = rows.map(({ createdMs }) => createdMs);
  const last = times.at(-1) ?? NaN;
  return (order === 'asc' ? last >= before : last < after) && isSorted(times, order);
}

/** Whether times are in an order; equal ones are. */
export function isSorted(times: number[], order: 'asc' | 'desc'): boolean {
  return times.every((time, index) => {
    const previous = times[index - 1] ?? time;
    return order === 'asc' ? previous <= time : previous >= time;
  });
}

/**
 * Reads pages until `limit` results were picked or the list ends.
 *
 * @returns the results in the service's order, each row once
 * @throws what `readPage` throws
 */
export async function readUpTo<T>(list: List<T>, limit: number): Promise<T[]> {
  const results: T[] = [];
  const seen = new Set<string>();
  // Oldest first, the results begin on page 1; how far they go, the pages themselves tell.
  const location = list.range?.order === 'desc' ? await locate(list.range) : { firstPage: 1 };
  for await (const { rows } of readPages(list, location, pagesNeeded(list, limit, location))) {
    const seenBefore = seen.size;
    for (const row of rows) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      const result = list.pick(row);
      if (result !== undefined) results.push(result);
      if (results.length >= limit) return results;
    }
    if (seen.size === seenBefore) return results;
  }
  return results;
}

/** How many pages may be requested ahead: none that the results may not need. */
function pagesNeeded<T>({ isFiltered = false, range }: List<T>, limit: number, { later }: Location): number {
  if (range?.before !== undefined) return later === undefined ? 1 : Math.ceil(limit / PAGE_SIZE) + 1;
  return isFiltered ? Infinity : Math.ceil(limit / PAGE_SIZE);
}

export interface ReadAllOptions {
  /** Called after every page with the list's total and the number of results so far; throws to stop the reading. */
  check?: (total: number | undefined, results: number) => void;
  /** Whether to go on with the next page. */
  mayContinue?: () => boolean;
  maxPasses?: number;
}

/**
 * Reads a numbered list completely although it changes meanwhile. A row that is deleted moves the rows behind it to an earlier page,
 * where one can be missed; rows of one creation time may come in another order each time. So the list is read in passes, until
 *
 * - a pass showed as many rows as there were when it began, or all passes together as many as there were when the first one began,
 *   without the rows that may have arrived since, or
 * - a pass (without totals two in a row) showed nothing that was not known, and no more rows than are known.
 *
 * A pass of a single page is complete: nothing changes within one response.
 *
 * @returns the results in the service's order, each row once, and whether they are complete: every row that was there all the time
 *   is among them
 * @throws what `readPage` and `check` throw; UnexpectedResponse when the service repeats a page although it reports more rows
 */
export async function readAll<T>(
  list: List<T>,
  { check, mayContinue = () => true, maxPasses = MAX_PASSES }: ReadAllOptions = {},
): Promise<{ results: T[]; isComplete: boolean }> {
  const findings = new Findings(list);
  for (let pass = 1; pass <= maxPasses; pass++) {
    const location = await locate(list.range);
    findings.beginPass(location);
    for await (const page of readPages(list, location)) {
      findings.add(page);
      check?.(page.total, findings.picked);
      if (!mayContinue()) return { results: findings.results(), isComplete: false };
      if (findings.isEndless) break;
    }
    if (findings.endPass(await locate(list.range))) return { results: findings.results(), isComplete: true };
  }
  return { results: findings.results(), isComplete: false };
}

/** One pass over a list. */
interface Pass {
  location: Location;
  /** Its first page; before that was read, an empty one. */
  first: Page;
  pages: number;
  /** Rows that were shown, in order. */
  ids: string[];
  /** Rows that were there when the pass began, as far as their creation time or an earlier pass tells. */
  established: Set<string>;
  knownBefore: number;
}

/** What the passes over a list have shown. */
class Findings<T> {
  /** How many results there are so far. */
  picked = 0;

  private readonly known = new Map<string, T | undefined>();

  private pass: Pass = newPass({ firstPage: 1 }, 0);

  private firstPass: Pass = this.pass;

  private settledPasses = 0;

  private readonly list: List<T>;

  constructor(list: List<T>) {
    this.list = list;
  }

  /** Whether a pass shows the same rows again and again: the service ignores the page number, and shuffles the rows. */
  get isEndless(): boolean {
    return this.pass.ids.length > 2 * (this.known.size + PAGE_SIZE);
  }

  beginPass(location: Location): void {
    this.pass = newPass(location, this.known.size);
    if (this.firstPass.pages === 0) this.firstPass = this.pass;
  }

  add(page: Page): void {
    const { pass } = this;
    if (pass.pages++ === 0) pass.first = page;
    for (const row of page.rows) {
      if (!this.isCounted(row)) continue;
      const isKnown = this.known.has(row.id);
      if (!isKnown) this.pick(row);
      pass.ids.push(row.id);
      if (isKnown || isOlder(row, pass)) pass.established.add(row.id);
      if (isOlder(row, this.firstPass)) this.firstPass.established.add(row.id);
    }
  }

  /**
   * @param location of the range after the pass
   * @returns whether the passes so far are complete
   */
  endPass(location: Location): boolean {
    const { pass, firstPass, known } = this;
    // Rows behind the range may have come or gone before the first page was read: the lower number asks for more.
    pass.location.later = minimum(pass.location.later, location.later);
    const isSettled = known.size === pass.knownBefore && known.size >= pass.ids.length;
    this.settledPasses = isSettled ? this.settledPasses + 1 : 0;
    // Without totals, one such pass does not tell of a row that comes and goes.
    const passesNeeded = pass.first.total === undefined ? 2 : 1;
    return isSinglePage(pass) || this.settledPasses >= passesNeeded || this.isWhole(pass) || this.isWhole(firstPass);
  }

  /** In the order of the last pass; what only earlier passes showed comes last. */
  results(): T[] {
    const ids = new Set([...this.pass.ids, ...this.known.keys()]);
    return [...ids].map((id) => this.known.get(id)).filter((result) => result !== undefined);
  }

  private pick(row: Row): void {
    const result = this.list.pick(row);
    this.known.set(row.id, result);
    if (result !== undefined) this.picked++;
  }

  /** Rows behind a range are shown only by its last page, so they do not count. */
  private isCounted(row: Row): boolean {
    const { range } = this.list;
    return range?.before === undefined || isInRange(range, row);
  }

  /** Whether a pass showed every row that was there when it began, as far as a total tells. */
  private isWhole({ first, location: { later }, established }: Pass): boolean {
    if (later === undefined && this.list.range?.before !== undefined) return false;
    return established.size >= (first.total ?? Infinity) - (later ?? 0);
  }
}

function newPass(location: Location, knownBefore: number): Pass {
  return { location, first: { rows: [] }, pages: 0, ids: [], established: new Set(), knownBefore };
}

/** Whether a row was there when a pass began. The service tells its time to the second: a row of that second may be newer. */
function isOlder(row: Row, { first }: Pass): boolean {
  return !(row.createdMs >= (first.serverTime ?? Infinity));
}

/** Whether nothing can have moved from page to page. Without a total, an empty page follows the only one. */
function isSinglePage({ first, pages, ids }: Pass): boolean {
  if (pages === 1) return true;
  return first.total === undefined && first.rows.length < PAGE_SIZE && ids.length === first.rows.length;
}

function minimum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? one : Math.min(one, other);
}

/**
 * Finds where a range lies in its list: the rows from its end on are as many as one request tells, so that they need not be fetched
 * when they come first, and the rest of the list's total is the range.
 */
async function locate(range: DateRange | undefined): Promise<Location> {
  if (range?.before === undefined) return { firstPage: 1 };
  const { rows, total } = await range.countFrom(range.before);
  const [oldest] = rows;
  // A service that ignores the bound counts everything.
  const isHonored = total !== undefined && (oldest === undefined ? total === 0 : oldest.createdMs >= range.before);
  if (!isHonored) return { firstPage: 1 };
  // Newest first, the range begins on the page of the last row that is later than it, or on the next.
  return { firstPage: range.order === 'asc' ? 1 : Math.max(1, Math.ceil(total / PAGE_SIZE)), later: total };
}

/** The pages of one pass in order, several requested at once as soon as the total tells how many there are. */
async function* readPages<T>(list: List<T>, location: Location, pagesNeeded = Infinity): AsyncGenerator<Page> {
  const controller = new AbortController();
  const read = async (page: number) => await list.readPage(page, controller.signal);
  try {
    const { number: start, page: first } = await readFirst(read, list.range, location);
    const planned = plannedLastPage(first, list.range, location);
    const length = first.pageSize ?? first.rows.length;
    let number = start;
    let previous: Page | undefined;
    for await (const page of pagesFrom(read, first, start, Math.min(planned, start + pagesNeeded - 1))) {
      const isRepeat = previous !== undefined && isRepeated(page, previous, (number - start) * length);
      if (isRepeat) return;
      yield page;
      const isBeyond = list.range !== undefined && isBeyondRange(list.range, page.rows);
      if (page.rows.length === 0 || isBeyond || isLast(page, number, length)) return;
      previous = page;
      number++;
    }
  } finally {
    controller.abort();
  }
}

/** Page 1, or newest first the page on which the range begins: its first row must still be later than the range. */
async function readFirst(
  read: (page: number) => Promise<Page>,
  range: DateRange | undefined,
  { firstPage }: Location,
): Promise<{ number: number; page: Page }> {
  const page = await read(firstPage);
  const [newest] = page.rows;
  const isLater = newest !== undefined && range?.before !== undefined && newest.createdMs >= range.before;
  // Rows may have been deleted, or the service rounds the bound: then the range begins on an earlier page.
  return firstPage === 1 || isLater ? { number: firstPage, page } : { number: 1, page: await read(1) };
}

async function* pagesFrom(
  read: (page: number) => Promise<Page>,
  first: Page,
  start: number,
  lastAhead: number,
): AsyncGenerator<Page> {
  yield first;
  yield* inOrder(Math.max(0, lastAhead - start), async (index) => await read(start + 1 + index));
  for (let number = Math.max(start, lastAhead) + 1; ; number++) yield await read(number);
}

/** The page on which the list, or oldest first its range, should end by what the first page says. */
function plannedLastPage(
  { rows, total = 0, pageSize = rows.length }: Page,
  range: DateRange | undefined,
  { later = 0 }: Location,
): number {
  const rowsToRead = range?.order === 'asc' ? total - later : total;
  return Math.ceil(rowsToRead / pageSize);
}

/**
 * Whether a page is the last one. A total ends a list only when nothing contradicts it: it may count the page, or be too low. So the
 * number of pages must agree, or the page must not be full.
 */
export function isLast({ rows, total, totalPages }: Page, number = 1, length = rows.length): boolean {
  if ((number - 1) * length + rows.length !== total) return false;
  if (totalPages !== undefined) return totalPages === number;
  const isFull = number > 1 ? rows.length >= length : rows.length === DEFAULT_PAGE_SIZE || rows.length === PAGE_SIZE;
  return !isFull;
}

/** Whether the service gave the same page again: it ignores the page number. */
function isRepeated({ rows, total = 0 }: Page, previous: Page, readSoFar: number): boolean {
  const isSame = rows.length === previous.rows.length && rows.every(({ id }, index) => id === previous.rows[index]?.id);
  if (isSame && total > readSoFar) {
    throw new UnexpectedResponse(`it repeats the same page, so only ${readSoFar} of ${total} rows can be read`);
  }
  return isSame;
}
