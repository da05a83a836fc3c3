import { goesOnPastTotal, ignoresPage, MAX_RESULTS, type List } from './list';
import { isTotalInDoubt, type Page, type Row } from './parse';
import type { Slice } from './slice';

/**
 * What is known of a read after a page:
 * - 'read on': the next page is needed.
 * - 'complete': all results are there, or more than n8n can take.
 * - 'changed': rows moved between pages while the list was read, so that some may be missing.
 * - 'too few': the list ended with fewer rows than its total says, although no row is known to have moved.
 */
export type Verdict = 'read on' | 'complete' | 'changed' | 'too few';

/**
 * Collects the rows of a slice, page by page, and notices when the list changes meanwhile. It sends no requests.
 *
 * An example of a change: page 1 has shown 100 rows. Then one of them is deleted, so the first row of page 2 moves to page 1, which is not
 * read again. The total of page 2 tells: it is lower than that of page 1.
 */
export class SliceReader<T> {
  readonly results: T[] = [];

  /** The IDs of all rows that were shown, except those beyond the upper bound and those out of order. */
  readonly ids = new Set<string>();

  private readonly list: List<T>;

  private readonly slice: Slice;

  /** The number of the page that `take` gets next. */
  private number: number;

  private previous: Page | undefined;

  /** How many of the rows in `ids` were there when the list was counted. Rows that were added later must not stand in for deleted ones. */
  private counted = 0;

  /** How often a row was shown that had been shown before, by an earlier page or the same one. */
  private repeats = 0;

  /** ms: creation time of the last row that was not out of order. NaN before the first row, and where rows have no creation time. */
  private lastMs = NaN;

  /**
   * Whether a row beyond the upper bound was shown. Oldest first, it proves that the wanted rows end before it; newest first, that they
   * begin after it. True from the start if there is no such row to be expected.
   */
  private isBoundShown: boolean;

  constructor(list: List<T>, slice: Slice) {
    this.list = list;
    this.slice = slice;
    this.number = slice.start;
    this.isBoundShown = slice.beyond === 0;
  }

  /** How many rows fewer were shown than the totals promise. Rows in `ids` that were added meanwhile count as shown. */
  get missing(): number {
    return Math.max(0, this.slice.expected - this.ids.size);
  }

  /**
   * Takes the next page of the slice.
   *
   * @throws UserError when the service repeats a page although other rows must follow, or shows more rows than the total
   */
  take(page: Page): Verdict {
    const { first } = this.slice;
    const isRepeated = this.repeatsPrevious(page);
    // If page 1 has as many rows as its total, it has shown all counted rows, and no deletion can hide one. Page 2 is read only because the total is
    // in doubt. (If each total counts its page alone, that of page 2 may be lower. `requireTotal` refuses it.)
    const isPage1All = first.total === first.rows.length;
    // The total fell: a row was deleted. (Or one was added, and the service answered two requests in another order than they were sent.)
    if (page.total < (this.previous ?? first).total && !isPage1All) return 'changed';
    if (!isRepeated) {
      this.requireTotal(page);
      for (const row of page.rows) this.add(row, page);
    }
    if (this.hasMoved(page)) return 'changed';
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
    // If none is missing, the expected number was reached only with rows that were added later. So some of the counted rows were deleted.
    return this.missing > 0 ? 'too few' : 'changed';
  }

  /**
   * Whether a page shows the same rows as the one before it. A service may do that past the end of its list. It is expected only where
   * the total is in doubt; otherwise the totals say that other rows must follow.
   *
   * @throws UserError when other rows must follow
   */
  private repeatsPrevious(page: Page): boolean {
    const { slice, list } = this;
    if (page === slice.first) return false;
    const previous = this.previous ?? slice.first;
    const isSame = page.total === previous.total && idsOf(page) === idsOf(previous);
    if (isSame && !isTotalInDoubt(slice.first)) throw ignoresPage(list.key, this.ids.size, page.total);
    return isSame;
  }

  /**
   * Refuses a page whose total is lower than the number of its rows and of those on the pages before it: such a total does not count the
   * whole list.
   *
   * @throws UserError
   */
  private requireTotal({ rows, total }: Page): void {
    const { slice, number, list } = this;
    if (rows.length > 0 && total < (number - 1) * slice.pageSize + rows.length)
      throw goesOnPastTotal(list.key, slice.first.total);
  }

  /** Adds a row of a page, unless it is beyond the upper bound, was shown before, or is out of order. */
  private add(row: Row, page: Page): void {
    const { slice, list } = this;
    const { after = -Infinity, before = Infinity, matches, resultOf } = list;
    if (row.createdMs >= before) {
      this.isBoundShown = true;
      return;
    }
    const isShownAgain = this.ids.has(row.id);
    if (isShownAgain) this.repeats++;
    if (isShownAgain || this.isOutOfOrder(row)) return;
    this.ids.add(row.id);
    this.lastMs = row.createdMs;
    // All rows of page 1 are in the total. A row of a later page is, unless it was created at `countedAt` or later. (A row without a creation time,
    // NaN, is neither later than the count nor earlier than the lower bound, hence the negations.)
    if (page === slice.first || !(row.createdMs >= slice.countedAt)) this.counted++;
    if (!(row.createdMs < after) && matches?.(row) !== false) this.results.push(resultOf(row));
  }

  /**
   * Whether a row belongs on an earlier place than the last one. Such a row was added during the read, with a creation time in the past, and need
   * not be a result.
   */
  private isOutOfOrder({ createdMs }: Row): boolean {
    const { order } = this.list;
    // Comparing with NaN is always false: the first row is in order.
    return order === 'asc' ? createdMs < this.lastMs : order === 'desc' && createdMs > this.lastMs;
  }

  /**
   * Whether rows may have moved to a page that had been read, although the total did not fall:
   * - More rows were repeated than were added. One added row pushes one row to the next page, where it is shown again. Without an added row,
   *   a repeated row takes the place of another row, which is then not shown. (Rows with the same creation time may change places.)
   * - Newest first, the first page of the slice shows no row beyond the upper bound. So rows beyond it were deleted since they were counted,
   *   and wanted rows have moved to the page before.
   */
  private hasMoved(page: Page): boolean {
    const added = page.total - this.slice.first.total;
    return this.repeats > added || (this.list.order === 'desc' && !this.isBoundShown);
  }

  /** Whether no page with wanted rows follows. */
  private isEnd(page: Page): boolean {
    const { slice, list, number } = this;
    // A page that is not full is the last one. A page with more rows than were asked for is the whole list.
    if (page.rows.length !== slice.pageSize) return true;
    // Oldest first, rows beyond the upper bound come after the wanted ones. Then the slice ends with the first of them, not with the list. The
    // totals say on which page it is; where they are in doubt, only the row itself tells.
    const endsAtBound = list.order === 'asc' && slice.beyond > 0;
    if (isTotalInDoubt(slice.first)) return endsAtBound && this.isBoundShown;
    return number >= slice.end && (endsAtBound || number * slice.pageSize >= page.total);
  }
}

function idsOf({ rows }: Page): string {
  return rows.map(({ id }) => id).join(' ');
}
