import { UserError } from 'n8n-workflow';
import { systemClock } from './clock';
import { LIST_NAMES, type ListKey } from './endpoints';
import { inOrder } from './inOrder';
import type { Page, Row } from './parse';

// Reads a list completely although it changes meanwhile. An example: page 1 shows A to Z; then B is deleted, and the first row of page 2
// moves to page 1, which nobody reads again. The totals, and the number of rows, tell of it.

/** How often a list that changes is read from its start, and ms between two reads: the service tells its time to the second. */
const MAX_READS = 5;
const WAIT_MS = 1_000;

/** Pages that are read beyond those that the first one tells of, because rows arrived meanwhile. */
const MAX_MORE_PAGES = 20;

/** A list of the service, and which of its rows are wanted. */
export interface List<T> {
  /** As messages name it. */
  name: string;
  /** Requests page 1, 2, 3 …; the signal aborts when the page is no longer needed. */
  readPage: (page: number, signal?: AbortSignal) => Promise<Page>;
  /** The order that was asked for, by creation time. */
  order?: 'asc' | 'desc';
  /** The part of a list with an order to read. Default: all of it. */
  range?: DateRange;
  /** What to keep of a row, undefined when it is not wanted. Called once per row, as soon as its page is there. */
  pick: (row: Row) => T | undefined;
  /** Whether `pick` refuses rows, so that the number of rows says nothing about the number of results. */
  isFiltered?: boolean;
  /** Results that are wanted at most: the first ones of the list. */
  limit?: number;
  /** Called with the number of rows before the second page is read; throws when they are too many. */
  checkCount?: (rows: number) => void;
}

/** A part of a list. */
export interface DateRange {
  /** ms, inclusive */
  after?: number;
  /** ms, exclusive */
  before?: number;
  /** Requests the newest rows created at or after a time (ms), to learn how many there are. */
  countFrom: (ms: number, signal?: AbortSignal) => Promise<Page>;
}

/** What the first responses of a read tell. */
interface Slice {
  first: Page;
  /** Rows of a full page. */
  size: number;
  /** Pages to read: those with the wanted rows, and the later row next to them. */
  start: number;
  end: number;
  /** Rows that are later than the range, and rows that must be shown before them. */
  later: number;
  expected: number;
  /** ms: what was created at this time or later may not have been there at the first response. */
  since: number;
}

/**
 * Reads a list, several pages at once.
 *
 * One thing no response tells: a row that comes late, with an earlier creation time, makes up for one that is deleted between the same
 * two pages.
 *
 * @returns the results in the list's order, each row once: all that were there all the time, or as many as the limit
 * @throws what `readPage` throws; UserError when the list was different each time, or the service ignores the page number
 */
export async function readList<T>(list: List<T>, clock = systemClock): Promise<T[]> {
  for (let reads = 1; reads <= MAX_READS; reads++) {
    if (reads > 1) await clock.sleep(WAIT_MS);
    const results = await readOnce(list);
    if (results !== undefined) return results;
  }
  throw new UserError(`The list of ${list.name} cannot be read completely: it was different each time`, {
    description:
      'Run this again at a quieter time, or narrow the list with filters or a limit. Nothing was returned, because something may be missing.',
  });
}

/**
 * Reads the slice of the list that its totals tell. A read that may lack a row is of no use: nothing of it is kept.
 *
 * @returns undefined when a total became lower, when the later row next to the range was not where it should be (a deletion between the
 *   two totals moves the range), or when fewer rows were shown than there were at the start
 */
async function readOnce<T>(list: List<T>): Promise<T[] | undefined> {
  const { order, range: { after = -Infinity, before = Infinity } = {}, pick, limit = Infinity } = list;
  const controller = new AbortController();
  try {
    const slice = await locate(list, controller.signal);
    const { first, size, start, end, later, expected, since } = slice;
    const known = new Set<string>();
    const results: T[] = [];
    let oldRows = 0;
    let isBesideLater = later === 0;
    let lastMs = NaN;
    let previous: Page | undefined;
    let number = start;
    for await (const page of pagesOf(list, slice, controller.signal)) {
      if (page.total < first.total) return undefined;
      if (previous !== undefined && isSame(page, previous)) throw ignoresPage(list.name, known.size, page.total);
      previous = page;
      for (const row of page.rows) {
        if (row.createdMs >= before) isBesideLater ||= order === 'asc' || number === start;
        // One that belongs to a page before has turned up since.
        const isLate = order === 'asc' ? row.createdMs < lastMs : order === 'desc' && row.createdMs > lastMs;
        if (row.createdMs >= before || isLate || known.has(row.id)) continue;
        known.add(row.id);
        lastMs = row.createdMs;
        // A row that arrived since makes up for none that is missing.
        if (page === first || !(row.createdMs >= since)) oldRows++;
        const result = row.createdMs < after ? undefined : pick(row);
        if (result !== undefined) results.push(result);
      }
      if (order === 'desc' && !isBesideLater) return undefined;
      if (results.length >= limit) return results.slice(0, limit);
      const isAtEnd = number * size >= page.total || (order === 'asc' && later > 0 && isBesideLater);
      if (isAtEnd && number >= end) return isBesideLater && oldRows >= expected ? results : undefined;
      if (number++ >= end + MAX_MORE_PAGES) return undefined;
    }
    return undefined;
  } finally {
    controller.abort();
  }
}

/** Requests the first page and, with an upper bound, how many rows are later; newest first, the range begins behind these. */
async function locate<T>(list: List<T>, signal: AbortSignal): Promise<Slice> {
  const { order, range, isFiltered = false, limit = Infinity, checkCount } = list;
  const [first, counted] = await Promise.all([
    list.readPage(1, signal),
    range?.before === undefined ? undefined : range.countFrom(range.before, signal),
  ]);
  const since = Math.min(first.serverTime ?? Infinity, counted?.serverTime ?? Infinity);
  const size = Math.max(1, first.rows.length);
  // All that there is on one page: nothing changes within a response.
  if (first.rows.length >= first.total) return { first, size, start: 1, end: 1, later: 0, expected: 0, since };
  const arrived = counted?.rows.filter(({ createdMs }) => createdMs >= since).length ?? 0;
  const later = (counted?.total ?? 0) - arrived;
  const expected = first.total - later;
  checkCount?.(expected);
  const pageOf = (index: number) => Math.floor(Math.max(0, index) / size) + 1;
  const start = order === 'desc' ? pageOf(later - 1) : 1;
  // Oldest first, the later row next to the range is behind it.
  const behind = order === 'desc' ? first.total : expected + Math.min(1, later);
  const wanted = (order === 'desc' ? later : 0) + (isFiltered ? Infinity : limit);
  const end = Math.max(start, pageOf(Math.min(behind, wanted) - 1));
  return { first, size, start, end, later, expected, since };
}

async function* pagesOf<T>(
  { readPage }: List<T>,
  { first, start, end }: Slice,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  if (start === 1) yield first;
  const next = Math.max(2, start);
  yield* inOrder(end - next + 1, async (index) => await readPage(next + index, signal));
  for (let number = end + 1; ; number++) yield await readPage(number, signal);
}

/** Whether the service gave the same page again. */
function isSame({ rows }: Page, previous: Page): boolean {
  return rows.length === previous.rows.length && rows.every(({ id }, index) => id === previous.rows[index]?.id);
}

function ignoresPage(name: string, shown: number, total: number): UserError {
  return new UserError(`The list of ${name} ignores 'page': it shows only ${shown} of ${total} rows`, {
    description: 'The service may have changed. Update this package, or report what you requested.',
  });
}

/** Rows that are read to search them here, such as for a title. */
const MAX_ROWS = 120_000;

/** Reads all rows of a list. @throws what `readList` throws; UserError when there are more than 120,000 */
export async function readWhole(name: ListKey, readPage: List<Row>['readPage'], order?: 'desc'): Promise<Row[]> {
  return await readList({
    name: LIST_NAMES[name],
    readPage,
    order,
    pick: (row) => row,
    checkCount: (rows) => {
      if (rows > MAX_ROWS)
        throw new UserError(`The list of ${LIST_NAMES[name]} is too long to be searched: ${rows} rows`, {
          description: 'Enter an ID instead, which needs no search.',
        });
    },
  });
}
