// Finds out which pages of a list hold the wanted rows, and requests them.

import { createdFrom, pageQuery } from './endpoints';
import { inOrder } from './inOrder';
import { MAX_RESULTS, tooMany, unlessBehindEnd, type List } from './list';
import { isTotalInDoubt, parsePage, type Page } from './parse';

/** The part of a list that is read. */
export interface Slice {
  /** Page 1, which is always read. */
  first: Page;
  /** The first and the last page with wanted rows, as the totals say. The row beyond the upper bound that is next to them is there, too. */
  start: number;
  end: number;
  /** How many rows a full page has. */
  pageSize: number;
  /** How many rows are beyond the upper bound, that is, created at `before` or later. 0 when the whole list is on the first page. */
  beyond: number;
  /** How many rows must be found that are not beyond the upper bound. */
  expected: number;
  /** ms, the service's clock: a row that was created then or later was perhaps not there when the rows were counted. */
  countedAt: number;
  /** Whether the total may end too early. Then only a page that is not full ends the list. */
  isTotalInDoubt: boolean;
}

/**
 * Finds the slice. It requests page 1 and, with an upper bound, the rows beyond it, whose total is their number. Both requests go out
 * together.
 *
 * Example: of 1,000 submissions, newest first, those before February are wanted, and 430 are younger. The slice begins on page 5. There
 * is also row 430, the last one beyond the bound, which shows that no row of January was skipped.
 *
 * @throws what the request throws; UserError when the slice has more rows than n8n can take
 */
export async function findSlice<T>(list: List<T>, signal: AbortSignal): Promise<Slice> {
  const { order, before, matches, limit = Infinity } = list;
  const [first, counted] = await Promise.all([
    requestPage(list, 1, signal),
    before === undefined ? undefined : requestPage({ ...list, order: 'desc', after: before }, 1, signal),
  ]);
  const countedAt = Math.min(first.serverTime ?? Infinity, counted?.serverTime ?? Infinity);
  // A row that was added since the first response is not in its total.
  const added = counted?.rows.filter(({ createdMs }) => createdMs >= countedAt).length ?? 0;
  const beyond = (counted?.total ?? 0) - added;
  const expected = first.total - beyond;
  if (expected > MAX_RESULTS && limit === Infinity && matches === undefined) throw tooMany(String(expected));
  // Of a range, only page 1 is doubted: a range in the middle of a long list is not worth one more request.
  const isDoubted = isTotalInDoubt(first) && (before === undefined || first.total === first.rows.length);
  const known = { first, pageSize: first.pageSize, countedAt, isTotalInDoubt: isDoubted };
  if (!first.isFull) {
    // The whole list is on this page.
    const shownBeyond = first.rows.filter(({ createdMs }) => createdMs >= (before ?? Infinity)).length;
    return { ...known, start: 1, end: 1, beyond: 0, expected: first.total - shownBeyond };
  }
  const pageOf = (index: number) => Math.floor(Math.max(0, index) / first.pageSize) + 1;
  const wanted = matches === undefined ? limit : Infinity;
  const start = order === 'desc' ? pageOf(beyond - 1) : 1;
  const last =
    order === 'desc' ? Math.min(first.total, beyond + wanted) : Math.min(expected + Math.min(1, beyond), wanted);
  return { ...known, start, end: Math.max(start, pageOf(last - 1)), beyond, expected };
}

/** Yields the pages of a slice, several of them requested at once; then the pages behind it, because added rows push others there. */
export async function* pagesOf<T>(list: List<T>, slice: Slice, signal: AbortSignal): AsyncGenerator<Page> {
  const { first, start, end } = slice;
  if (start === 1) yield first;
  const next = Math.max(2, start);
  yield* inOrder(end - next + 1, async (index) => await requestPage(list, next + index, signal));
  for (let number = end + 1; ; number++)
    yield slice.isTotalInDoubt
      ? await requestBehindEnd(list, number, first, signal)
      : await requestPage(list, number, signal);
}

/**
 * Requests a page that may be behind the end of its list. Services show that such a page is empty, refuse it, or show the last page
 * again. A total that counts the page alone is 0 on an empty page: so the total of page 1 stays.
 */
async function requestBehindEnd<T>(list: List<T>, number: number, first: Page, signal: AbortSignal): Promise<Page> {
  const page = await unlessBehindEnd(requestPage(list, number, signal));
  return page !== undefined && page.rows.length > 0 ? page : { ...first, rows: [], isFull: false };
}

async function requestPage<T>(
  { key, order, after, request }: List<T>,
  page: number,
  signal: AbortSignal,
): Promise<Page> {
  const query = { order, ...createdFrom(after), ...pageQuery(key, page) };
  return await request(query, (response) => parsePage(response, key, { order, after, page }), signal);
}
