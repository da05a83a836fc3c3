import { UserError } from 'n8n-workflow';
import { PAGE_SIZE } from './endpoints';
import { isInRange, locate, readPages, type DateRange, type Location, type NumberedList } from './pages';
import type { Page, Row } from './parse';

// Reads a numbered list completely although it changes meanwhile. An example: page 1 shows A to Z; then B is deleted, and the first
// row of page 2 moves to page 1, which nobody reads again. Rows of one creation time may come in another order each time, too.

/** A list in which half of the rows come in another order each time needs about ten. */
const MAX_PASSES = 20;

export interface List<T> extends NumberedList {
  /** What to keep of a row, undefined when it is not wanted. Called once per row, as soon as its page is there. */
  pick: (row: Row) => T | undefined;
  /** Whether `pick` refuses rows, so that the number of rows says nothing about the number of results. */
  isFiltered?: boolean;
  /** The order that was asked for, where it is by creation time. Default: that of the range. */
  order?: 'asc' | 'desc';
}

export interface ReadAllOptions {
  /** Results that are wanted at most: the first ones of the list. */
  limit?: number;
  /** Called after every page with the list's total and the number of results so far; throws to stop the reading. */
  check?: (total: number | undefined, results: number) => void;
  /** Whether to go on with the next page. */
  mayContinue?: () => boolean;
  maxPasses?: number;
}

/** What one pass over the list showed. */
interface Pass {
  first: Page;
  pages: number;
  /** Rows, repeated ones included. */
  shown: number;
  ids: Set<string>;
  results: number;
  /** The highest total of its pages; 0 without totals. */
  total: number;
  /** Whether a total was lower than one before: a row was deleted, and may have hidden another. */
  hasShrunk: boolean;
}

/**
 * Reads a list in passes, until all of them together showed every row that was there when the first one began, as its total tells, or
 * a pass (without totals two in a row) showed nothing new. A total that falls during a pass tells nothing. A list of one page needs
 * no other pass: nothing changes within a response.
 *
 * @returns the results in the list's order, each row once, and whether they are complete: every row that was there all the time is
 *   among them, or as many as the limit
 * @throws what `readPage` and `check` throw; UnexpectedResponse when the service repeats a page although it reports more rows
 */
export async function readAll<T>(
  list: List<T>,
  { limit = Infinity, check, mayContinue = () => true, maxPasses = MAX_PASSES }: ReadAllOptions = {},
): Promise<{ results: T[]; isComplete: boolean }> {
  const known = new Map<string, { createdMs: number; result: T | undefined }>();
  let picked = 0;
  /** How many of the known rows were there when the first pass began, and how many there were. */
  let there = 0;
  let expected = Infinity;
  let quietPasses = 0;
  let begin: Page | undefined;
  let pass: Pass = newPass();

  const add = (row: Row): void => {
    // Rows behind a range are shown only by its last page, so they do not count.
    if (list.range?.before !== undefined && !isInRange(list.range, row)) return;
    const isNew = !known.has(row.id);
    const { createdMs } = row;
    const { result } = known.get(row.id) ?? { result: list.pick(row) };
    if (isNew) known.set(row.id, { createdMs, result });
    if (isNew && result !== undefined) picked++;
    // The service tells its time to the second: a row of that second may be newer.
    if (isNew && !(createdMs >= (begin?.serverTime ?? Infinity))) there++;
    if (result !== undefined && !pass.ids.has(row.id)) pass.results++;
    pass.ids.add(row.id);
    pass.shown++;
  };

  /** In the order of the last pass; what only earlier ones showed goes where its creation time belongs. */
  const results = (): T[] => {
    const rows = [...new Set([...pass.ids, ...known.keys()])].flatMap((id) => known.get(id) ?? []);
    const order = list.order ?? list.range?.order;
    const isDated = rows.every(({ createdMs }) => !Number.isNaN(createdMs));
    if (known.size > pass.ids.size && isDated && order !== undefined)
      rows.sort((a, b) => (order === 'asc' ? a.createdMs - b.createdMs : b.createdMs - a.createdMs));
    return rows.flatMap(({ result }) => (result === undefined ? [] : [result])).slice(0, limit);
  };

  for (let passes = 1; passes <= maxPasses; passes++) {
    const location = await locate(list.range);
    const knownBefore = known.size;
    pass = newPass();
    for await (const page of readPages(list, location, pagesNeeded(list, limit, location))) {
      begin ??= page;
      if (pass.pages++ === 0) pass.first = page;
      pass.hasShrunk ||= (page.total ?? 0) < pass.total;
      pass.total = Math.max(pass.total, page.total ?? 0);
      page.rows.forEach(add);
      check?.(page.total, picked);
      if (pass.results >= limit) return { results: results(), isComplete: true };
      if (!mayContinue()) return { results: results(), isComplete: false };
      // The service ignores the page number, and shuffles the rows.
      if (pass.shown > 2 * (known.size + PAGE_SIZE)) break;
    }
    if (isSinglePage(pass)) return { results: results(), isComplete: true };
    const { later } = await locate(list.range);
    if (passes === 1) expected = rowsExpected(pass, list.range, location.later, later);
    quietPasses = known.size === knownBefore && known.size >= pass.shown ? quietPasses + 1 : 0;
    // Without a total, one such pass does not tell of a row that comes and goes.
    const isSettled = quietPasses >= (isPlausible(pass) ? 1 : 2);
    // A row that turned up late may count in place of one that is hidden.
    const isCounted = there >= expected && !pass.hasShrunk;
    if (isCounted || isSettled) return { results: results(), isComplete: true };
  }
  return { results: results(), isComplete: false };
}

/** Reads a list as `readAll` does. @throws UserError instead of results that may lack some */
export async function readCompletely<T>(list: List<T>, options?: ReadAllOptions): Promise<T[]> {
  const { results, isComplete } = await readAll(list, options);
  if (isComplete) return results;
  throw new UserError(
    `The list cannot be read completely: it was different each time (${results.length} results so far)`,
    {
      description:
        'Run this again at a quieter time, or narrow the list with filters or a limit. Nothing was returned, because something may be missing.',
    },
  );
}

function newPass(): Pass {
  return { first: { rows: [] }, pages: 0, shown: 0, ids: new Set(), results: 0, total: 0, hasShrunk: false };
}

/** Whether the totals of a pass can be right: some count the page. */
function isPlausible({ total, ids, first }: Pass): boolean {
  return first.total !== undefined && total >= ids.size;
}

/**
 * How many rows there were when a pass began; Infinity when nothing tells. Rows behind a range may have come or gone between the two
 * requests that count them: the lower number asks for more.
 */
function rowsExpected(pass: Pass, range: DateRange | undefined, laterBefore?: number, laterAfter?: number): number {
  if (!isPlausible(pass) || (range?.before !== undefined && laterBefore === undefined)) return Infinity;
  return (pass.first.total ?? Infinity) - Math.min(laterBefore ?? 0, laterAfter ?? Infinity);
}

/** Whether nothing can have moved from page to page. Without a total, an empty page follows the only one. */
function isSinglePage({ first, pages, shown }: Pass): boolean {
  if (pages === 1) return true;
  return first.total === undefined && first.rows.length < PAGE_SIZE && shown === first.rows.length;
}

/** How many pages may be requested ahead: none that the results may not need. */
function pagesNeeded<T>({ isFiltered = false, range }: List<T>, limit: number, { later }: Location): number {
  if (range?.before !== undefined) return later === undefined ? 1 : Math.ceil(limit / PAGE_SIZE) + 1;
  return isFiltered ? Infinity : Math.ceil(limit / PAGE_SIZE);
}
