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
  pages: number;
  /** Rows, repeated ones included. */
  shown: number;
  ids: Set<string>;
}

/** The passes since the list last became shorter: before, a deletion may have hidden a row, and a row that is gone must not count. */
interface Stretch {
  begin: Page;
  ids: Set<string>;
  /** How many of these rows were there when it began. */
  there: number;
  /** How many rows were there; undefined until its first pass is over. */
  expected?: number;
  /** The highest total; 0 without totals. */
  total: number;
  /** Whether a total was lower than one before. */
  hasShrunk: boolean;
}

/**
 * Reads a list in passes, until they showed every row that was there since the list last became shorter, as its total tells, or a pass
 * (without totals two in a row) showed nothing new. A list of one page needs no other pass: nothing changes within a response.
 *
 * One thing no response tells: a row that comes late, with an earlier creation time, makes up for one that is deleted between the same
 * two pages. The responses are those of a list that never had the row which moved to the page before: only reading every list twice
 * would show it.
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
  let pass = newPass();
  let stretch: Stretch | undefined;
  let quietPasses = 0;

  const add = (row: Row, during: Stretch): void => {
    const { id, createdMs } = row;
    // Rows behind a range are shown only by its last page, so they do not count.
    if (list.range?.before !== undefined && !isInRange(list.range, row)) return;
    const { result } = known.get(id) ?? { result: list.pick(row) };
    if (result !== undefined && !known.has(id)) picked++;
    // The service tells its time to the second: a row of that second may be newer.
    if (!during.ids.has(id) && !(createdMs >= (during.begin.serverTime ?? Infinity))) during.there++;
    known.set(id, { createdMs, result });
    for (const ids of [pass.ids, during.ids]) ids.add(id);
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
      stretch = stretchAt(page, pass, stretch);
      pass.pages++;
      for (const row of page.rows) add(row, stretch);
      check?.(page.total, picked);
      if (picked >= limit) return { results: results(), isComplete: true };
      if (!mayContinue()) return { results: results(), isComplete: false };
      // The service ignores the page number, and shuffles the rows.
      if (pass.shown > 2 * (known.size + PAGE_SIZE)) break;
    }
    if (stretch === undefined || isSinglePage(stretch, pass)) return { results: results(), isComplete: true };
    // Some totals count the page.
    const isPlausible = stretch.begin.total !== undefined && stretch.total >= pass.ids.size;
    stretch.expected ??= isPlausible ? rowsExpected(stretch.begin, list.range, location) : Infinity;
    // In another order each time, rows are hidden by those that are shown twice.
    quietPasses = known.size === knownBefore && stretch.ids.size >= pass.shown ? quietPasses + 1 : 0;
    // Without a total, one such pass does not tell of a row that comes and goes.
    const isSettled = quietPasses >= (isPlausible ? 1 : 2);
    const mayLack = isPlausible && stretch.hasShrunk;
    if (!mayLack && (stretch.there >= stretch.expected || isSettled)) return { results: results(), isComplete: true };
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
  return { pages: 0, shown: 0, ids: new Set() };
}

/** The stretch that a page belongs to: a new one begins with the first page of a pass, if the list became shorter before. */
function stretchAt(page: Page, { pages }: Pass, stretch: Stretch | undefined): Stretch {
  const { total = 0, rows } = page;
  // A total that is no more than the rows of its page may count these alone.
  const isLower = total > rows.length && total < (stretch?.total ?? 0);
  const hasShrunk = stretch?.hasShrunk === true || isLower;
  if (stretch === undefined || (pages === 0 && hasShrunk))
    return { begin: page, ids: new Set(), there: 0, total, hasShrunk: false };
  return Object.assign(stretch, {
    total: Math.max(stretch.total, total),
    hasShrunk,
  });
}

/** The total less the rows that are later than the range; Infinity when nothing tells. */
function rowsExpected({ total = Infinity }: Page, range: DateRange | undefined, { later }: Location): number {
  return range?.before === undefined ? total : total - (later ?? -Infinity);
}

/** Whether nothing can have moved from page to page. Without a total, an empty page follows the only one. */
function isSinglePage({ begin: { rows, total } }: Stretch, { pages, shown }: Pass): boolean {
  return pages === 1 || (total === undefined && rows.length < PAGE_SIZE && shown === rows.length);
}

/** How many pages may be requested ahead: none that the results may not need. */
function pagesNeeded<T>({ isFiltered = false, range }: List<T>, limit: number, { later }: Location): number {
  const pages = Math.ceil(limit / PAGE_SIZE);
  if (range?.before === undefined) return isFiltered ? Infinity : pages;
  // Newest first, the first page begins with later rows.
  return later === undefined ? 1 : pages + (range.order === 'asc' ? 0 : 1);
}
