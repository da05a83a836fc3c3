import { goesOnBehindTotal, ignoresPage, MAX_RESULTS, type List } from './list';
import type { Page, Row } from './parse';
import type { Slice } from './slice';

/**
 * What a page tells about a read:
 * - 'read on': further pages follow.
 * - 'complete': all results are there.
 * - 'changed': rows moved while the list was read, so that some may be missing.
 * - 'too few': the list ended with fewer rows than its total says, although nothing shows that rows moved.
 */
export type Verdict = 'read on' | 'complete' | 'changed' | 'too few';

/**
 * Collects the rows of a slice, page by page, and notices when the list changes meanwhile. It sends no requests.
 *
 * An example of a change: page 1 shows A to Z; then B is deleted, and the first row of page 2 moves to page 1, which nobody reads again.
 * The totals, and the number of rows, tell of it.
 */
export class SliceReader<T> {
  /** What is kept of the wanted rows, in their order. */
  readonly results: T[] = [];

  /** The IDs of the rows that were shown and are not beyond the upper bound. */
  readonly ids = new Set<string>();

  private readonly list: List<T>;

  private readonly slice: Slice;

  /** The number of the page that `take` is given next. */
  private number: number;

  private previous: Page | undefined;

  /** How many of `ids` were there when the list was counted. A new row must not stand in for one that was deleted. */
  private counted = 0;

  /** How often a row was shown again. */
  private repeats = 0;

  /** Creation time of the last row that was in its place, ms. */
  private lastMs = NaN;

  /** Whether a row beyond the upper bound was shown. It proves that the range ends (oldest first) or begins (newest first) beside it. */
  private isBoundShown: boolean;

  constructor(list: List<T>, slice: Slice) {
    this.list = list;
    this.slice = slice;
    this.number = slice.start;
    this.isBoundShown = slice.beyond === 0;
  }

  /** How many rows the totals promise that were not shown, not even with those that were added meanwhile. */
  get missing(): number {
    return Math.max(0, this.slice.expected - this.ids.size);
  }

  /**
   * Takes the next page of the slice.
   *
   * @throws UserError when the service repeats the page before, or the list goes on behind its total
   */
  take(page: Page): Verdict {
    const { previous = this.slice.first } = this;
    const isRepeated = this.repeatsPrevious(page);
    // Rows were deleted, and perhaps the service shows its last page again because of that. But a total that falls behind page 1 of a list
    // that should have no other page counts the page alone.
    const { first } = this.slice;
    if (page.total < previous.total && first.total > first.rows.length) return 'changed';
    if (!isRepeated) {
      this.requireTotal(page);
      for (const row of page.rows) this.add(row, page);
    }
    if (this.hasMoved(page, previous)) return 'changed';
    const verdict = this.verdictAt(page, isRepeated);
    this.previous = page;
    this.number++;
    return verdict;
  }

  private verdictAt(page: Page, isRepeated: boolean): Verdict {
    const { limit = Infinity } = this.list;
    if (this.results.length >= Math.min(limit, MAX_RESULTS + 1)) return 'complete';
    if (!isRepeated && !this.isEnd(page)) return 'read on';
    if (!this.isBoundShown) return 'changed';
    if (this.counted >= this.slice.expected) return 'complete';
    return this.missing > 0 ? 'too few' : 'changed';
  }

  /**
   * Whether a page is the same as the one before. That is the end of a list whose total may count the first page alone, and was right.
   *
   * @throws UserError when further rows must follow
   */
  private repeatsPrevious(page: Page): boolean {
    const { slice, list } = this;
    const { previous = page === slice.first ? undefined : slice.first } = this;
    const isSame = page.total === previous?.total && idsOf(page) === idsOf(previous);
    if (isSame && !slice.isTotalInDoubt) throw ignoresPage(list.key, this.ids.size, page.total);
    return isSame;
  }

  /** Within one response, the total counts at least the rows of the page and those of all full pages before it. */
  private requireTotal({ rows, total }: Page): void {
    const { slice, number, list } = this;
    if (rows.length > 0 && total < (number - 1) * slice.pageSize + rows.length)
      throw goesOnBehindTotal(list.key, slice.first.total);
  }

  private add(row: Row, page: Page): void {
    const { slice, list } = this;
    const { after = -Infinity, before = Infinity, matches, keep } = list;
    if (row.createdMs >= before) {
      this.isBoundShown = true;
      return;
    }
    const isShownAgain = this.ids.has(row.id);
    if (isShownAgain) this.repeats++;
    if (isShownAgain || this.isOutOfOrder(row)) return;
    this.ids.add(row.id);
    this.lastMs = row.createdMs;
    if (page === slice.first || !(row.createdMs >= slice.countedAt)) this.counted++;
    if (!(row.createdMs < after) && matches?.(row) !== false) this.results.push(keep(row));
  }

  /** Whether a row belongs on a page before, where it was added after that page had been read. */
  private isOutOfOrder({ createdMs }: Row): boolean {
    const { order } = this.list;
    return order === 'asc' ? createdMs < this.lastMs : order === 'desc' && createdMs > this.lastMs;
  }

  /**
   * Whether rows may have moved to a page that was read before:
   * - The total fell: a row is gone, or was added between the responses of two pages that were sent in the other order.
   * - More rows were repeated than were added. An added row pushes one to the next page, where it is shown again, and adds to the total.
   *   Any other repeat is in place of another row of the same time.
   * - Newest first, the first page of the slice shows no row beyond the upper bound: some were deleted since they were counted.
   */
  private hasMoved(page: Page, previous: Page): boolean {
    const added = page.total - this.slice.first.total;
    if (page.total < previous.total || this.repeats > added) return true;
    return this.list.order === 'desc' && !this.isBoundShown;
  }

  /** Whether no page with wanted rows follows. */
  private isEnd(page: Page): boolean {
    const { slice, list, number } = this;
    const isLast = page.rows.length !== slice.pageSize;
    const isRangeShown = list.order === 'asc' && slice.beyond > 0;
    if (slice.isTotalInDoubt) return isLast || (isRangeShown && this.isBoundShown);
    return isLast || (number >= slice.end && (isRangeShown || number * slice.pageSize >= page.total));
  }
}

function idsOf({ rows }: Page): string {
  return rows.map(({ id }) => id).join(' ');
}
