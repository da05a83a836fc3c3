import { isInRange, type Page, type Row } from '../api/parse';
import { unlessPastEnd } from '../api/service';
import { inOrder } from './inOrder';
import { MAX_RESULTS, tooMany, type List } from './list';

/** Which pages of a list are read, and what page 1 and the totals tell of the list. */
export interface Slice {
  /** Page 1. Its total tells which pages hold the wanted rows. */
  first: Page;
  /**
   * The numbers of the first and the last page of the slice. If the totals are right, the wanted rows are on the pages from `start` to `end`, and so
   * is one row beyond the upper bound: newest first, it precedes the wanted rows; oldest first, it follows them, unless a limit comes first.
   */
  start: number;
  end: number;
  /** How many rows are beyond the upper bound: created at `before` or later. The totals tell it, or the rows of page 1 if that is the whole list. */
  beyond: number;
  /** How many rows of the list are not beyond the upper bound, by the totals. A read that does not reach a limit has to show as many. */
  expected: number;
  /** ms, the service's clock: a row created at this time or later may have been added after the list was counted. */
  countedAt: number;
}

/**
 * Finds the slice. It requests page 1 and, with an upper bound, also a page of the rows beyond the bound: the total of that page says how many there
 * are. Both requests are sent together.
 *
 * Example: a list has 1,000 submissions, newest first. Those before February are wanted, and 430 were created later. So rows 431 to 1,000
 * are wanted. Reading begins with page 5 (rows 401 to 500). It also shows row 430, the last one beyond, so no wanted row was skipped.
 *
 * @throws what `list.readPage` throws; UserError when the slice has more rows than n8n can take
 */
export async function findSlice<T>(list: List<T>, signal: AbortSignal): Promise<Slice> {
  const { order, before, matches, limit = Infinity } = list;
  const [first, pageBeyond] = await Promise.all([
    readPage(list, 1, signal),
    // The rows from the upper bound on. Newest first, so that rows which were added a moment ago are on this page.
    before === undefined ? undefined : readPage({ ...list, order: 'desc', after: before }, 1, signal),
  ]);
  const countedAt = Math.min(first.serverTime ?? Infinity, pageBeyond?.serverTime ?? Infinity);
  // The two totals may be of different moments. Example: page 1 says 100 rows, a row is added, and the other page says 11 rows beyond the bound.
  // One of these was created since `countedAt`, so 10 of the 100 are beyond.
  const addedSince = countSince(pageBeyond?.rows ?? [], countedAt);
  const beyond = (pageBeyond?.total ?? 0) - addedSince;
  // If page 1 was answered last, and says 101 rows when the other page says 10, `expected` is one too high. Then the read shows too few rows, and
  // `readList` reads again.
  const expected = first.total - beyond;
  if (expected > MAX_RESULTS && limit === Infinity && matches === undefined) throw tooMany(String(expected));
  if (!first.isFull) {
    // Page 1 is the whole list, so no row can be skipped. Its own rows are counted, because the total of `pageBeyond` may be of another moment.
    const shownBeyond = countSince(first.rows, before ?? Infinity);
    return { first, countedAt, start: 1, end: 1, beyond: shownBeyond, expected: first.total - shownBeyond };
  }
  const pageOf = (index: number) => Math.floor(Math.max(0, index) / first.pageSize) + 1;
  // With a filter, nobody knows how many rows must be read to find `limit` results: perhaps all.
  const wanted = matches === undefined ? limit : Infinity;
  // If there are rows beyond the bound, one is read, too: newest first, it precedes the wanted rows; oldest first, it follows them.
  const oneBeyond = Math.min(1, beyond);
  const [firstIndex, lastIndex] =
    order === 'desc'
      ? [beyond - oneBeyond, Math.min(first.total, beyond + wanted) - 1]
      : [0, Math.min(expected + oneBeyond, wanted) - 1];
  const start = pageOf(firstIndex);
  return { first, countedAt, start, end: Math.max(start, pageOf(lastIndex)), beyond, expected };
}

function countSince(rows: Row[], time: number): number {
  return rows.filter((row) => !isInRange(row, { before: time })).length;
}

/** Yields the pages of a slice, several of them requested at once, and then the pages after them, one by one, until the caller stops. */
export async function* pagesOf<T>(list: List<T>, slice: Slice, signal: AbortSignal): AsyncGenerator<Page> {
  const { first, start, end, beyond } = slice;
  const { order, limit = Infinity } = list;
  if (start === 1) yield first;
  const next = Math.max(2, start);
  // Only a page that is not full ends a list. If the total ends with a full page, one page more is needed. It is requested with the others, unless
  // the read may end before it: at the limit or the bound.
  const mayEndBefore = limit < Infinity || (order === 'asc' && beyond > 0);
  const needsOneMore = first.isFull && first.total % first.pageSize === 0;
  const lastAtOnce = needsOneMore && !mayEndBefore ? end + 1 : end;
  const read = async (number: number) =>
    number > end ? await readAfterSlice(list, number, first, signal) : await readPage(list, number, signal);
  yield* inOrder(lastAtOnce - next + 1, async (index) => await read(next + index));
  for (let number = lastAtOnce + 1; ; number++) yield await read(number);
}

/** Reads a page after the slice, perhaps past the end of the list. If the service refuses it, the result is an empty page. */
async function readAfterSlice<T>(list: List<T>, number: number, first: Page, signal: AbortSignal): Promise<Page> {
  return (await unlessPastEnd(readPage(list, number, signal))) ?? { ...first, rows: [], isFull: false };
}

async function readPage<T>(
  { order, after, readPage: read }: List<T>,
  page: number,
  signal: AbortSignal,
): Promise<Page> {
  return await read({ order, after, page }, signal);
}
