import { UnexpectedResponse } from '../api/errors';
import type { Asked, Page, Row } from '../api/parse';
import { unlessPastEnd } from '../lists/list';
import { SECOND, secondOf } from './cursor';

export type PageQuery = Asked & Required<Pick<Asked, 'order' | 'page'>>;

/** A page of a look. */
export interface Seen {
  rows: Row[];
  until: number;
  /** A second that is read by page numbers, because its rows fill page 1. In it, a row is missed if another is deleted between two requests. */
  crowdedSecond?: number;
  /** Whether the total has fallen since page 1, so that a row of that second may have been left out. */
  hasGap?: boolean;
}

type ReadPage = (query: PageQuery) => Promise<Page>;

/**
 * Looks at the submissions created from a time on.
 *
 * Each request begins at the second of the last row, not at the next page number: a deletion moves rows to earlier pages. Example: page 1 shows
 * A and B; A is deleted; C is now on page 1, and page 2 begins after it. Only where one second fills a page, its other pages are requested by number.
 *
 * @throws what `readPage` throws; UnexpectedResponse when the service contradicts its page numbers or totals
 */
export async function* look(readPage: ReadPage, start: number): AsyncGenerator<Seen, void> {
  let idsBefore: ReadonlySet<string> = new Set();
  for (let after = secondOf(start); after < Infinity;) {
    const first = await readPage({ after, order: 'asc', page: 1 });
    if (isLast(first, after, idsBefore)) {
      yield { rows: first.rows, until: Infinity };
      return;
    }
    idsBefore = new Set(first.rows.map(({ id }) => id));
    after = secondOf(yield* showSecond(readPage, after, first));
  }
}

/** Whether a page 1 ends the look: it is not full and has all rows of its total, or it shows nothing new. @param idsBefore of the last page 1 */
function isLast({ rows, total, isFull }: Page, after: number, idsBefore: ReadonlySet<string>): boolean {
  const hasAll = !isFull && rows.length >= total;
  // The service may round `after` down, to a minute for example. Then page 1 has rows from before `after`, and page 2 has the new ones.
  const isRounded = rows.length < total && rows.some(({ createdMs }) => createdMs < after);
  // The service may count rows that it does not show. Then `hasAll` never becomes true, and a page 1 that shows nothing new is the end.
  const hasNothingNew = !isRounded && rows.every(({ id }) => idsBefore.has(id));
  return hasAll || hasNothingNew;
}

/** Shows page 1, and if one second fills it, the next pages until a later second begins. Returns until when the form is shown. */
async function* showSecond(readPage: ReadPage, start: number, first: Page): AsyncGenerator<Seen, number> {
  // If one second fills page 1, it is that of the first row. Page 2 is the same with that second as `after` as with `start`: no row lies in between.
  const after = Math.max(start, secondOf(first.rows[0]?.createdMs ?? start));
  const shown = new Set<string>();
  let page = first;
  for (let number = 1; ; number++) {
    const until = noteShown(page, first, after, shown);
    const isSecondOver = secondOf(until) > after;
    const crowdedSecond = number === 1 && isSecondOver ? undefined : after;
    // There is no gap if all rows that page 1 promised were shown. The total of an empty page does not count: it may be 0.
    const hasGap = page.rows.length > 0 && page.total < first.total && shown.size < first.total;
    yield { rows: page.rows, until, crowdedSecond, hasGap };
    if (isSecondOver) return until;
    const next = readPage({ after, order: 'asc', page: number + 1 });
    // When all rows of the total were shown, the next page is past the end, and the service may refuse it.
    page = (shown.size >= page.total ? await unlessPastEnd(next) : await next) ?? { ...page, rows: [] };
  }
}

/** Adds the rows of a page to those that were shown. Returns until when the form is shown. */
function noteShown(page: Page, first: Page, after: number, shown: Set<string>): number {
  const { rows, total } = page;
  const isFirst = shown.size === 0;
  if (!isFirst && rows.every(({ id }) => shown.has(id))) return afterNothingNew(page, first, after, shown.size);
  for (const { id } of rows) shown.add(id);
  // A later page with fewer rows than page 1 is the last one, if the total agrees.
  const isEnd = rows.length < first.rows.length && shown.size >= total;
  return isEnd ? Infinity : Math.max(after, rows.at(-1)?.createdMs ?? after);
}

/** Until when a form is shown if a further page of a second shows nothing new. @throws UnexpectedResponse when other rows must follow */
function afterNothingNew({ rows, total }: Page, first: Page, after: number, shownCount: number): number {
  if (shownCount >= first.total) return Infinity;
  // The page has all rows that were shown, so it is page 1 once more: every page number gives the same page.
  if (rows.length === shownCount) throw new UnexpectedResponse("the list of submissions ignores 'page'");
  if (rows.length === 0 && first.isFull && shownCount < total)
    throw new UnexpectedResponse('the list of submissions ends before its total');
  // The look goes on with the next second. Rows that `first.total` counts, and that no page has shown, were deleted or moved to a page before, or (if
  // page 1 was not full) are never shown.
  return after + SECOND;
}
