import { PAGE_SIZE } from './endpoints';
import { UnexpectedResponse } from './errors';
import { inOrder } from './inOrder';
import type { Page, Row } from './parse';

// The pages of a numbered list, read once, as far as the service says that there are any. Rows that come and go meanwhile may be
// missed: see completeList.ts.

/** How many rows a page holds when the service ignores the page size. */
const DEFAULT_PAGE_SIZE = 30;

/** A numbered list of the service. */
export interface NumberedList {
  /** Requests page 1, 2, 3 …; the signal aborts when the page is no longer needed. */
  readPage: (page: number, signal?: AbortSignal) => Promise<Page>;
  /** The order that was asked for, where it is by creation time. */
  order?: 'asc' | 'desc';
  /** The part of the list to read, which has an order then. Default: all of it. */
  range?: DateRange;
}

/** A part of a list that is sorted by creation time. */
export interface DateRange {
  /** ms, inclusive */
  after?: number;
  /** ms, exclusive */
  before?: number;
  /** Requests the first rows created at or after a time (ms), oldest first, to learn how many there are. */
  countFrom: (ms: number) => Promise<Page>;
}

/** Where a range lies in its list. */
export interface Location {
  firstPage: number;
  /** Rows of the list that are later than the range. Undefined when only reading can tell where the range ends. */
  later?: number;
}

/** Whether a row was created within a range, or its creation time is unknown. */
export function isInRange(
  { after = -Infinity, before = Infinity }: Pick<DateRange, 'after' | 'before'>,
  { createdMs }: Row,
): boolean {
  return !(createdMs < after || createdMs >= before);
}

/** Whether times are in an order; equal ones are. */
export function isSorted(times: number[], order: 'asc' | 'desc'): boolean {
  return times.every((time, index) => {
    const previous = times[index - 1] ?? time;
    return order === 'asc' ? previous <= time : previous >= time;
  });
}

/**
 * Finds where a range lies in its list: the rows from its end on are as many as one request tells, so that they need not be fetched
 * when they come first, and the rest of the list's total is the range.
 */
export async function locate({ range, order }: NumberedList): Promise<Location> {
  if (range?.before === undefined) return { firstPage: 1 };
  const { rows, total } = await range.countFrom(range.before);
  const [oldest] = rows;
  // A service that ignores the bound counts everything.
  const isHonored = total !== undefined && (oldest === undefined ? total === 0 : oldest.createdMs >= range.before);
  if (!isHonored) return { firstPage: 1 };
  // Newest first, the range begins on the page of the last row that is later than it, or on the next.
  return { firstPage: order === 'asc' ? 1 : Math.max(1, Math.ceil(total / PAGE_SIZE)), later: total };
}

/**
 * The pages of a list in order, several requested at once as soon as the total tells how many there are.
 *
 * @param pagesNeeded pages that may be requested ahead, the first one included
 * @throws what `readPage` throws; UnexpectedResponse when the service repeats a page although it reports more rows
 */
export async function* readPages(list: NumberedList, location: Location, pagesNeeded = Infinity): AsyncGenerator<Page> {
  const controller = new AbortController();
  const read = async (page: number) => await list.readPage(page, controller.signal);
  try {
    const { number: start, page: first } = await readFirst(read, list, location);
    const lastAhead = Math.min(plannedLastPage(first, list, location), start + pagesNeeded - 1);
    const length = first.pageSize ?? first.rows.length;
    let number = start;
    let previous: Page | undefined;
    let rowsRead = 0;
    for await (const page of pagesFrom(read, first, start, lastAhead)) {
      if (previous !== undefined && isRepeated(page, previous, rowsRead)) return;
      yield page;
      if (page.rows.length === 0 || isBeyondRange(list, page.rows) || isLast(page, number, length)) return;
      previous = page;
      rowsRead += page.rows.length;
      number++;
    }
  } finally {
    controller.abort();
  }
}

/** Page 1, or newest first the page on which the range begins: its first row must still be later than the range. */
async function readFirst(
  read: (page: number) => Promise<Page>,
  { range }: NumberedList,
  { firstPage }: Location,
): Promise<{ number: number; page: Page }> {
  const page = await read(firstPage);
  const [newest] = page.rows;
  const isLater = newest !== undefined && newest.createdMs >= (range?.before ?? Infinity);
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

/** The page on which the list, or oldest first its range, should end by what the first page says: a full page is never the last. */
function plannedLastPage(
  { rows, total = 0, pageSize = rows.length }: Page,
  { order }: NumberedList,
  { later = 0 }: Location,
): number {
  return Math.floor((order === 'asc' ? total - later : total) / pageSize) + 1;
}

/** Whether a page is the last one: it reaches the total and is not full. A total, and a number of pages, may be those of the page. */
export function isLast({ rows, total, totalPages = 0, pageSize }: Page, number = 1, length = rows.length): boolean {
  const sizes = pageSize === undefined ? [DEFAULT_PAGE_SIZE, PAGE_SIZE] : [pageSize];
  const fullSizes = number > 1 ? [length] : sizes;
  return (number - 1) * length + rows.length === total && totalPages <= number && !fullSizes.includes(rows.length);
}

/** Whether no row of the range can follow these rows, as far as the service keeps to the order. */
function isBeyondRange({ range, order }: NumberedList, rows: Row[]): boolean {
  if (range === undefined || order === undefined) return false;
  const { after = -Infinity, before = Infinity } = range;
  const times = rows.map(({ createdMs }) => createdMs);
  const last = times.at(-1) ?? NaN;
  return (order === 'asc' ? last >= before : last < after) && isSorted(times, order);
}

/** Whether the service gave the same page again: it ignores the page number. */
function isRepeated({ rows, total = 0 }: Page, previous: Page, rowsRead: number): boolean {
  const isSame = rows.length === previous.rows.length && rows.every(({ id }, index) => id === previous.rows[index]?.id);
  if (isSame && total > rowsRead) {
    throw new UnexpectedResponse(`it repeats the same page, so only ${rowsRead} of ${total} rows can be read`);
  }
  return isSame;
}
