import { goesOnPastTotal, ignoresPage, MAX_RESULTS, tooMany, type List } from './list';
import { isOutOfOrder, isTotalInDoubt, type Page, type Row } from '../api/parse';
import type { Slice } from './slice';

/**
 * What is known of a read after a page:
 * - 'read on': the next page is needed.
 * - 'complete': all results are there.
 * - 'changed': rows moved between pages while the list was read, so that some may be missing.
 * - 'too few': the list ended with fewer rows than its total says, although no row is known to have moved.
 */
export type Verdict = 'read on' | 'complete' | 'changed' | 'too few';

/**
 * Collects the rows of a slice, page by page, and notices when the list changes meanwhile. It sends no requests.
 *
 * Example: page 1 has shown 100 rows. One of them is deleted, so the first row of page 2 moves to page 1, which is not read again. The total
 * of page 2 shows the change: it is lower than that of page 1.
 */
export class SliceReader<T> {
  readonly results: T[] = [];

  /** The IDs of the rows that were shown, except those beyond the upper bound and those out of order. */
  readonly ids = new Set<string>();

  private readonly list: List<T>;
  private readonly slice: Slice;

  /** The number of the page that `take` works on, or gets next. */
  private number: number;

  /** The last page that `take` got. Until it has got one, page 1. */
  private previous: Page;

  /** The number of rows in `ids` that were there when the list was counted. Rows that were added later must not stand in for deleted ones. */
  private counted = 0;

  private repeats = 0;

  /** ms: creation time of the last row that was in order. NaN before the first row, and where rows have no creation time. */
  private lastMs = NaN;

  /** Whether a row beyond the upper bound was shown, so that no wanted row was skipped at that edge. Also true if the list has none. */
  private isBoundShown: boolean;

  constructor(list: List<T>, slice: Slice) {
    this.list = list;
    this.slice = slice;
    this.number = slice.start;
    this.previous = slice.first;
    this.isBoundShown = slice.beyond === 0;
  }

  /** Takes the next page of the slice. @throws UserError for too many results, for a repeated page, and for more rows than the total */
  take(given: Page): Verdict {
    const { first } = this.slice;
    // Past the end of its list, a service may show its last page again. That counts as an empty page.
    const page = this.repeatsPrevious(given) ? { ...given, rows: [] } : given;
    // When the total falls, a row was deleted, and another may have moved to a page that had been read.
    const hasFallen = page.total < this.previous.total;
    // It also falls if the service counts each page alone, and the last one has fewer rows. That is left to `requireTotal`.
    const countsEachAlone = first.total === first.rows.length;
    if (hasFallen && !countsEachAlone) return 'changed';
    this.requireTotal(page);
    for (const row of page.rows) this.add(row, page);
    if (this.hasMoved(page)) return 'changed';
    const verdict = this.verdictAt(page);
    this.previous = page;
    this.number++;
    return verdict;
  }

  private verdictAt(page: Page): Verdict {
    const { limit = Infinity, before } = this.list;
    const { first, expected } = this.slice;
    if (this.results.length >= limit) return 'complete';
    if (this.results.length > MAX_RESULTS) throw tooMany(`more than ${MAX_RESULTS}`);
    if (!this.isEnd(page)) return 'read on';
    if (!this.isBoundShown) return 'changed';
    if (this.counted >= expected) return 'complete';
    // If `expected` is the difference of two totals, it may be too high (see `findSlice`), and a missing row is no proof of a wrong total.
    const isDifference = before !== undefined && first.isFull;
    if (!isDifference && this.ids.size < expected) return 'too few';
    // Two cases are left: `expected` may be too high; or enough rows were shown, but some of them were added later, so counted ones are missing.
    return 'changed';
  }

  /** Whether a page shows the same rows as the one before it. @throws UserError if it does although it cannot be past the end */
  private repeatsPrevious(page: Page): boolean {
    const { slice, list, previous } = this;
    if (page === slice.first) return false;
    const isSame = page.total === previous.total && idsOf(page) === idsOf(previous);
    if (isSame && !isTotalInDoubt(slice.first)) throw ignoresPage(list.key, this.ids.size, page.total);
    return isSame;
  }

  /** Refuses a page that shows new rows although its total is lower than the number of rows on it and on all pages before it. @throws UserError */
  private requireTotal({ rows, total }: Page): void {
    const { slice, number, list, ids } = this;
    const isTooLow = total < (number - 1) * slice.first.pageSize + rows.length;
    if (isTooLow && rows.some(({ id }) => !ids.has(id))) throw goesOnPastTotal(list.key, slice.first.total);
  }

  /** Adds a row of a page, unless it is beyond the upper bound, was shown before, or is out of order. */
  private add(row: Row, page: Page): void {
    const { slice, list } = this;
    const { order, after = -Infinity, before = Infinity, matches, resultOf } = list;
    if (row.createdMs >= before) {
      this.isBoundShown = true;
      return;
    }
    const isShownAgain = this.ids.has(row.id);
    if (isShownAgain) this.repeats++;
    // If a row belongs before the last one, it was added during the read, with a creation time in the past.
    if (isShownAgain || isOutOfOrder(order, row.createdMs, this.lastMs)) return;
    this.ids.add(row.id);
    this.lastMs = row.createdMs;
    // The rows of page 1 were counted, and on other pages those that were created before `countedAt`. A row without a creation time counts, and is
    // wanted: it has NaN, with which every comparison is false, so the conditions are negated.
    if (page === slice.first || !(row.createdMs >= slice.countedAt)) this.counted++;
    if (!(row.createdMs < after) && matches?.(row) !== false) this.results.push(resultOf(row));
  }

  /**
   * Whether rows may have moved to a page that had been read, although the total did not fall:
   * - More rows were repeated than added. An added row pushes one row to the next page. Other repetitions mean that rows have changed places.
   * - Newest first, the slice should begin with a row beyond the upper bound. If none is shown, it was deleted, and wanted rows have moved up.
   */
  private hasMoved(page: Page): boolean {
    const added = page.total - this.slice.first.total;
    return this.repeats > added || (this.list.order === 'desc' && !this.isBoundShown);
  }

  /** Whether no page with wanted rows follows. */
  private isEnd(page: Page): boolean {
    const { slice, list, number } = this;
    // A page that is not full is the last one. A page with more rows than were asked for is the whole list of a service without pages.
    if (page.rows.length !== slice.first.pageSize) return true;
    const isInDoubt = isTotalInDoubt(slice.first);
    // Oldest first, the slice ends with the first row beyond the upper bound. If the total is in doubt, only that row itself shows the end.
    if (list.order === 'asc' && slice.beyond > 0) return isInDoubt ? this.isBoundShown : number >= slice.end;
    // Otherwise, the slice ends with the list. If the total is in doubt, only a page that is not full shows the end.
    return !isInDoubt && number * slice.first.pageSize >= page.total;
  }
}

function idsOf({ rows }: Page): string {
  return rows.map(({ id }) => id).join(' ');
}
