import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { systemClock } from './clock';
import { createdFrom, LIST_NAMES, pageQuery, type ListKey } from './endpoints';
import { inOrder } from './inOrder';
import { parsePage, type Page, type Row } from './parse';
import type { ApiResponse } from './request';

// Reads a list completely although it changes meanwhile. An example: page 1 shows A to Z; then B is deleted, and the first row of page 2
// moves to page 1, which nobody reads again. The totals, and the number of rows, tell of it.

/** How often a list that changes is read from its start, and ms between two reads: the service tells its time to the second. */
const MAX_READS = 5;
const WAIT_MS = 1_000;

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
const MAX_RESULTS = 120_000;

/** A list of the service, and which of its rows are wanted. */
export interface List<T> {
  key: ListKey;
  /** By creation time. Default: the list has no order. */
  order?: 'asc' | 'desc';
  /** The creation times to read, ms: at `after` or later, and earlier than `before`. */
  after?: number;
  before?: number;
  /** Requests a page; the signal aborts when it is no longer needed. */
  request: (query: IDataObject, parse: (response: ApiResponse) => Page, signal: AbortSignal) => Promise<Page>;
  /** Whether a row is wanted, for what the service is not asked. Default: every row is. */
  matches?: (row: Row) => boolean;
  /** Makes of a row what is kept of it, as soon as its page is there, so that no whole row waits for the last page. */
  keep: (row: Row) => T;
  /** Results that are wanted at most: the first ones of the list. */
  limit?: number;
}

/**
 * Reads a list, several pages at once. One thing no response tells: a row that comes late, with an earlier creation time, makes up for
 * one that is deleted between the same two pages; with a limit, a new row does, too.
 *
 * @returns the results in the list's order, each row once: all that were there all the time, or as many as the limit
 * @throws what `request` throws; UserError when there are too many, the list was different each time, or the service ignores the page
 */
export async function readList<T>(list: List<T>, clock = systemClock): Promise<T[]> {
  for (let reads = 1; reads <= MAX_READS; reads++) {
    if (reads > 1) await clock.sleep(WAIT_MS);
    const results = await readOnce(list);
    if (results !== undefined && results.length > MAX_RESULTS) throw tooMany(`more than ${MAX_RESULTS}`);
    if (results !== undefined) return results;
  }
  throw new UserError(`The list of ${LIST_NAMES[list.key]} cannot be read completely: it was different each time`, {
    description:
      'Run this again at a quieter time, or narrow the list with filters or a limit. Nothing was returned, because something may be missing.',
  });
}

/** Reads the slice of the list that its totals tell. @returns undefined when a row may be missing: nothing of the read is kept */
async function readOnce<T>(list: List<T>): Promise<T[] | undefined> {
  const { key, order, after = -Infinity, before = Infinity, matches, keep } = list;
  const limit = Math.min(list.limit ?? Infinity, MAX_RESULTS + 1);
  const controller = new AbortController();
  try {
    const slice = await locate(list, controller.signal);
    const { first, size, start, end, later, expected, since } = slice;
    const known = new Set<string>();
    const results: T[] = [];
    let [oldRows, repeated] = [0, 0];
    let isBesideLater = later === 0;
    let lastMs = NaN;
    let previous: Page | undefined;
    let number = start;
    for await (const page of pagesOf(list, slice, controller.signal)) {
      const { total } = previous ?? first;
      if (page.total === total && isSame(page, previous)) throw ignoresPage(key, known.size, total);
      for (const row of page.rows) {
        if (row.createdMs >= before) isBesideLater ||= order === 'asc' || number === start;
        // One that belongs to a page before has turned up since.
        const isLate = order === 'asc' ? row.createdMs < lastMs : order === 'desc' && row.createdMs > lastMs;
        const isRepeated = known.has(row.id);
        if (isRepeated) repeated++;
        if (row.createdMs >= before || isLate || isRepeated) continue;
        known.add(row.id);
        lastMs = row.createdMs;
        // A row that arrived since makes up for none that is missing.
        if (page === first || !(row.createdMs >= since)) oldRows++;
        if (!(row.createdMs < after) && matches?.(row) !== false) results.push(keep(row));
      }
      // A row is gone, or arrived between the responses of two pages that were sent in the other order; or one was repeated in place of
      // another of its time: what pushes rows to the next page adds to the total.
      if (page.total < total || repeated > page.total - first.total) return undefined;
      previous = page;
      // A deletion between the two totals moves the range.
      if (order === 'desc' && !isBesideLater) return undefined;
      if (results.length >= limit) return results.slice(0, limit);
      const isAtEnd = number * size >= page.total || (order === 'asc' && later > 0);
      if (isAtEnd && number >= end) return isBesideLater && oldRows >= expected ? results : undefined;
      number++;
    }
    return undefined;
  } finally {
    controller.abort();
  }
}

/** Requests the first page and, with an upper bound, how many rows are later; newest first, the range begins behind these. */
async function locate<T>(list: List<T>, signal: AbortSignal) {
  const { order, before, matches, limit = Infinity } = list;
  const [first, counted] = await Promise.all([
    requestPage(list, 1, signal),
    before === undefined ? undefined : requestPage({ ...list, order: 'desc', after: before }, 1, signal),
  ]);
  /** ms: what was created at this time or later may not have been there at the first response. */
  const since = Math.min(first.serverTime ?? Infinity, counted?.serverTime ?? Infinity);
  /** Rows of a full page. */
  const size = Math.max(1, first.rows.length);
  // All that there is on one page: nothing changes within a response.
  if (first.rows.length >= first.total) return { first, size, start: 1, end: 1, later: 0, expected: 0, since };
  const arrived = counted?.rows.filter(({ createdMs }) => createdMs >= since).length ?? 0;
  const later = (counted?.total ?? 0) - arrived;
  /** Rows that must be shown before those that are later. */
  const expected = first.total - later;
  if (expected > MAX_RESULTS && limit === Infinity && matches === undefined) throw tooMany(String(expected));
  const pageOf = (index: number) => Math.floor(Math.max(0, index) / size) + 1;
  // The pages with the wanted rows, and the later row next to them: oldest first, it is behind these.
  const start = order === 'desc' ? pageOf(later - 1) : 1;
  const behind = order === 'desc' ? first.total : expected + Math.min(1, later);
  const wanted = (order === 'desc' ? later : 0) + (matches === undefined ? limit : Infinity);
  const end = Math.max(start, pageOf(Math.min(behind, wanted) - 1));
  return { first, size, start, end, later, expected, since };
}

/** The pages of the slice, then those behind it: rows that arrive push others there. */
async function* pagesOf<T>(
  list: List<T>,
  { first, start, end }: Awaited<ReturnType<typeof locate>>,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  if (start === 1) yield first;
  const next = Math.max(2, start);
  yield* inOrder(end - next + 1, async (index) => await requestPage(list, next + index, signal));
  for (let number = end + 1; ; number++) yield await requestPage(list, number, signal);
}

async function requestPage<T>(
  { key, order, after, request }: List<T>,
  page: number,
  signal: AbortSignal,
): Promise<Page> {
  const query = { order, ...createdFrom(after), ...pageQuery(key, page) };
  return await request(query, (response) => parsePage(response, key, { order, after }), signal);
}

/** Whether the service gave the same page again. */
function isSame({ rows }: Page, previous: Page | undefined): boolean {
  return rows.length === previous?.rows.length && rows.every(({ id }, index) => id === previous.rows[index]?.id);
}

function ignoresPage(key: ListKey, shown: number, total: number): UserError {
  return new UserError(`The list of ${LIST_NAMES[key]} ignores 'page': it shows only ${shown} of ${total} rows`, {
    description: 'The service may have changed. Update this package, or report what you requested.',
  });
}

function tooMany(count: string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    description:
      'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item. Or turn off Return All and set a limit. A single form is found by its ID in a list of any length.',
  });
}
