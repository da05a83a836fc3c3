import { isInRange, isOutOfOrder, type Page, type Row } from '../api/parse';
import { ignoresPage, MAX_RESULTS, tooMany, type List } from './list';
import type { Slice } from './slice';

/**
 * Collects the rows of a slice, page by page. It sends no requests.
 *
 * The rows alone tell where the list ends. The totals tell how many rows it had when it was counted, and whether rows have moved since. Example:
 * page 1 has shown 100 rows. One of them is deleted, so the first row of page 2 moves to page 1, which is not read again. The total of page 2 shows
 * the change: it is lower than that of page 1.
 */
export class SliceReader<T> {
  readonly results: T[] = [];

  /** Whether no other page is needed: the list has ended, as many results were found as are wanted, or rows have moved. */
  isOver = false;

  private readonly list: List<T>;
  private readonly slice: Slice;

  /** The IDs of the rows that were shown, except those out of order. */
  private readonly ids = new Set<string>();

  /** The number of the page that `take` works on, or gets next. */
  private number: number;

  /** The last page that `take` got. Until it has got one, page 1. */
  private previous: Page;

  /**
   * How many rows were shown that are not beyond the upper bound, and were there when the list was counted. A row that was created later must not
   * stand in for a deleted one.
   */
  private counted = 0;

  private repeats = 0;

  /** The last row that was in order. */
  private last: Row | undefined;

  /** Whether a row beyond the upper bound was shown. */
  private isBoundShown = false;

  /** Whether a row may have moved to a page that had been read. */
  private hasMoved = false;

  constructor(list: List<T>, slice: Slice) {
    this.list = list;
    this.slice = slice;
    this.number = slice.start;
    this.previous = slice.first;
  }

  /** Takes the next page of the slice. @throws UserError for too many results, and for one page under two numbers */
  take(page: Page): void {
    this.requireOtherPage(page);
    const shownBefore = this.ids.size;
    let repeats = 0;
    for (const row of page.rows) {
      if (this.ids.has(row.id)) repeats++;
      // If a row belongs before the last one, it was added during the read, with a creation time in the past.
      else if (!isOutOfOrder(this.list.order, row, this.last)) this.add(row, page);
    }
    const hasNewRows = this.ids.size > shownBefore;
    // Past the end of its list, a service may show its last page again. Such repeated rows do not show that the list has changed.
    if (hasNewRows) this.repeats += repeats;
    // Each row that was added may push one row to the next page, which then repeats it. If more are repeated, rows have moved for another reason.
    this.hasMoved = this.hasFallen(page, hasNewRows) || this.repeats > this.addedUntil(page);
    this.isOver = this.hasMoved || !hasNewRows || this.endsWith(page);
    this.previous = page;
    this.number++;
  }

  /** Whether the results have all wanted rows that were there when the list was counted. */
  get isComplete(): boolean {
    if (this.hasMoved || !this.isStartShown) return false;
    return this.hasEnough || this.counted >= this.slice.expected;
  }

  /** For the error of a read that is not complete: how many rows of the total were shown. Those beyond the upper bound count as shown. */
  get shown(): number {
    const { first, beyond } = this.slice;
    // If rows have moved, at least one may be missing, however many were shown.
    return Math.min(first.total - 1, this.counted + (this.isStartShown ? beyond : 0));
  }

  /** Whether the slice began early enough. Newest first, a row beyond the upper bound must be shown: then no wanted row precedes the slice. */
  private get isStartShown(): boolean {
    return this.list.order !== 'desc' || this.slice.beyond <= 0 || this.isBoundShown;
  }

  private get hasEnough(): boolean {
    return this.results.length >= (this.list.limit ?? Infinity);
  }

  /**
   * Compares the first row of a page with that of the page before it. If the slice starts later than page 1, its first page is compared with page 1.
   *
   * @throws UserError if both begin with the same row, although by the totals both pages exist
   */
  private requireOtherPage({ rows, total }: Page): void {
    const { previous, number, slice, list } = this;
    const isSame = rows[0]?.id === previous.rows[0]?.id && total === previous.total;
    if (isSame && number > 1 && number <= slice.end) throw ignoresPage(list.key);
  }

  private add(row: Row, page: Page): void {
    const { slice, list, results } = this;
    const { after, before, matches, resultOf } = list;
    this.ids.add(row.id);
    this.last = row;
    if (!isInRange(row, { before })) {
      this.isBoundShown = true;
      return;
    }
    // The rows of page 1 were counted, and on other pages those that were created before `countedAt`.
    if (page === slice.first || isInRange(row, { before: slice.countedAt })) this.counted++;
    if (isInRange(row, { after }) && matches?.(row) !== false) results.push(resultOf(row));
  }

  /** Whether the total is lower than that of the page before: a row was deleted, so another one may have moved to that page after it was read. */
  private hasFallen({ rows, total }: Page, hasNewRows: boolean): boolean {
    // A service may give as the total of each page how many rows that page has. Then the last page has a lower total, though nothing was deleted.
    const countsItself = hasNewRows && this.number > 1 && total === rows.length;
    // The total of an empty page does not count: it may be 0.
    return total < this.previous.total && rows.length > 0 && !countsItself;
  }

  /** How many rows were added between page 1 and this page. */
  private addedUntil({ total }: Page): number {
    return Math.max(0, total - this.slice.first.total);
  }

  /** Whether the list ends with a page that has new rows. @throws UserError for too many results without a limit */
  private endsWith({ rows }: Page): boolean {
    if (this.hasEnough) return true;
    if (this.results.length > MAX_RESULTS) throw tooMany(`more than ${MAX_RESULTS}`);
    // A page that is not full is the last one. A page with more rows than were asked for is the whole list of a service without pages.
    const isLast = rows.length !== this.slice.first.pageSize;
    // Oldest first, all rows after the first one beyond the upper bound are beyond it, too.
    return isLast || (this.list.order === 'asc' && this.isBoundShown);
  }
}
