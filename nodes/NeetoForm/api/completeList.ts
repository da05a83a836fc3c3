import { UserError } from 'n8n-workflow';
import { PAGE_SIZE } from './endpoints';
import { isInRange, locate, readPages, type DateRange, type Location, type NumberedList } from './pages';
import type { Page, Row } from './parse';

// Reads a numbered list completely although it changes meanwhile. An example: page 1 shows A to Z; then B is deleted, and the first
// row of page 2 moves to page 1, which nobody reads again. Rows of one creation time may come in another order each time, too.

/** A list in which half of the rows come in another order each time needs about ten. */
const MAX_PASSES = 20;

export interface List<T> extends NumberedList {
  /** What to keep of a row of the range, undefined when it is not wanted. Called once per row, as soon as its page is there. */
  pick: (row: Row) => T | undefined;
  /** Whether `pick` refuses rows, so that the number of rows says nothing about the number of results. */
  isFiltered?: boolean;
}

interface ReadAllOptions {
  /** Results that are wanted at most: the first ones of the list. */
  limit?: number;
  /** Whether to go on with the next page. */
  mayContinue?: () => boolean;
  maxPasses?: number;
}

/** The passes since the list last became shorter: before, a deletion may have hidden a row, and a row that is gone must not count. */
interface Stretch {
  begin: Page;
  ids: Set<string>;
  /** How many rows were there when it began; undefined until its first pass is over. */
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
 * @throws what `readPage` throws; UnexpectedResponse when the service repeats a page although it reports more rows
 */
export async function readAll<T>(
  list: List<T>,
  { limit = Infinity, mayContinue = () => true, maxPasses = MAX_PASSES }: ReadAllOptions = {},
): Promise<{ results: T[]; isComplete: boolean }> {
  const { range, order } = list;
  const known = new Map<string, { createdMs: number; result: T | undefined }>();
  let picked = 0;
  let passIds = new Set<string>();
  let stretch: Stretch | undefined;
  let quietPasses = 0;

  const end = (isComplete: boolean) => {
    // In the order of the last pass; what only earlier ones showed goes where its creation time belongs.
    const rows = [...new Set([...passIds, ...known.keys()])].flatMap((id) => known.get(id) ?? []);
    const isDated = rows.every(({ createdMs }) => !Number.isNaN(createdMs));
    if (known.size > passIds.size && isDated && order !== undefined)
      rows.sort((a, b) => (order === 'asc' ? a.createdMs - b.createdMs : b.createdMs - a.createdMs));
    const results = rows.flatMap(({ result }) => (result === undefined ? [] : [result]));
    return { results: results.slice(0, limit), isComplete };
  };

  for (let passes = 1; passes <= maxPasses; passes++) {
    const location = await locate(list);
    const knownBefore = known.size;
    let pages = 0;
    /** Rows that this pass showed, repeated ones included. */
    let shown = 0;
    passIds = new Set();
    for await (const page of readPages(list, location, pagesNeeded(list, limit, location))) {
      stretch = stretchAt(page, pages++ === 0, stretch);
      for (const row of page.rows) {
        const { id, createdMs } = row;
        // Rows behind a range are shown only by its last page, so they do not count.
        if (range?.before !== undefined && !isInRange(range, row)) continue;
        if (!known.has(id)) {
          const result = isInRange(range ?? {}, row) ? list.pick(row) : undefined;
          known.set(id, { createdMs, result });
          if (result !== undefined) picked++;
        }
        passIds.add(id);
        stretch.ids.add(id);
        shown++;
      }
      if (picked >= limit) return end(true);
      if (!mayContinue()) return end(false);
      // The service ignores the page number, and shuffles the rows.
      if (shown > 2 * (known.size + PAGE_SIZE)) break;
    }
    if (stretch === undefined || pages === 1) return end(true);
    const { begin, ids } = stretch;
    // Without a total, an empty page follows the only one.
    if (begin.total === undefined && begin.rows.length < PAGE_SIZE && shown === begin.rows.length) return end(true);
    // Some totals count the page.
    const isPlausible = begin.total !== undefined && stretch.total >= passIds.size;
    stretch.expected ??= isPlausible ? rowsExpected(begin, range, location) : Infinity;
    // The service tells its time to the second: a row of that second may be newer.
    const isOld = (id: string) => !((known.get(id)?.createdMs ?? NaN) >= (begin.serverTime ?? Infinity));
    // In another order each time, rows are hidden by those that are shown twice.
    quietPasses = known.size === knownBefore && ids.size >= shown ? quietPasses + 1 : 0;
    // Without a total, one such pass does not tell of a row that comes and goes.
    const isSettled = quietPasses >= (isPlausible ? 1 : 2);
    const mayLack = isPlausible && stretch.hasShrunk;
    if (!mayLack && (isSettled || [...ids].filter(isOld).length >= stretch.expected)) return end(true);
  }
  return end(false);
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

/** The stretch that a page belongs to: a new one begins with the first page of a pass, if the list became shorter before. */
function stretchAt(page: Page, isFirst: boolean, stretch: Stretch | undefined): Stretch {
  const { total = 0, rows } = page;
  // A total that is no more than the rows of its page may count these alone.
  const isLower = total > rows.length && total < (stretch?.total ?? 0);
  const hasShrunk = isLower || stretch?.hasShrunk === true;
  if (stretch === undefined || (isFirst && hasShrunk)) return { begin: page, ids: new Set(), total, hasShrunk: false };
  return Object.assign(stretch, { total: Math.max(stretch.total, total), hasShrunk });
}

/** The total less the rows that are later than the range; Infinity when nothing tells. */
function rowsExpected({ total = Infinity }: Page, range: DateRange | undefined, { later }: Location): number {
  return range?.before === undefined ? total : total - (later ?? -Infinity);
}

/** How many pages may be requested ahead: none that the results may not need. */
function pagesNeeded<T>({ isFiltered, range, order }: List<T>, limit: number, { later }: Location): number {
  const pages = isFiltered ? Infinity : Math.ceil(limit / PAGE_SIZE);
  if (range?.before === undefined) return pages;
  // Newest first, the first page begins with later rows.
  return later === undefined ? 1 : pages + (order === 'asc' ? 0 : 1);
}
