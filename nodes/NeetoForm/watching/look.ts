import { UnexpectedResponse, type Page, type Submission } from '../api/parse';
import { unlessPastEnd, type PageAsked } from '../api/service';
import { SECOND, secondOf } from './cursor';

/** A page of a look. */
export interface Seen {
  rows: Submission[];
  /** Until when the form is shown by this page and the ones before. */
  until: number;
}

type ReadPage = (asked: PageAsked) => Promise<Page<Submission>>;

/**
 * Looks at the submissions created from a time on.
 *
 * Each request begins at the second of the last row, not at the next page number: a deletion moves rows to earlier pages. Example: page 1 shows
 * A and B; A is deleted; C is now on page 1, and page 2 begins after it. Only where page 1 comes no further than one second, the other pages of that
 * second are requested by number. There, a deletion can hide a row, so the second is read again until a reading shows nothing new.
 *
 * @throws what `readPage` throws; UnexpectedResponse when the service contradicts its page numbers or totals
 */
export async function* look(readPage: ReadPage, start: number): AsyncGenerator<Seen, undefined> {
  let after = secondOf(start);
  let idsBefore: ReadonlySet<string> = new Set();
  for (;;) {
    const first = await readPage({ after, order: 'asc', page: 1 });
    // No row at or after `after` lies before `second`. So with `second` as `after`, page 1 would be the same.
    const second = Math.max(after, secondOf(first.rows[0]?.createdMs ?? after));
    let until = untilAfterFirst(first, second, idsBefore);
    if (secondOf(until) <= second) until = yield* readSecond(readPage, second, first);
    else yield { rows: first.rows, until };
    if (until === Infinity) return undefined;
    after = secondOf(until);
    // If the next page 1 has only rows of this one, it shows nothing new. The other rows of a second are not compared: they may go on into the next
    // second, with which the next page 1 begins. That page may show no others than these, and the new ones only on its page 2.
    idsBefore = new Set(idsOf(first));
  }
}

/** Reads a second beyond which page 1 does not come, until a reading shows nothing new. @returns until when the form is shown then */
async function* readSecond(
  readPage: ReadPage,
  second: number,
  firstPage: Page<Submission>,
): AsyncGenerator<Seen, number> {
  const shown = new Set<string>();
  let until = second;
  // Until when the form is shown if the poll's time ends a reading. After the first one, that is the end of the second.
  let least = second;
  for (let first = firstPage; ; first = await readPage({ after: second, order: 'asc', page: 1 })) {
    const countBefore = shown.size;
    for await (const seen of pagesOfSecond(readPage, second, first)) {
      for (const { id } of seen.rows) shown.add(id);
      ({ until } = seen);
      yield { rows: seen.rows, until: least };
    }
    // A page 1 that is not full has all rows that the service shows, and none was hidden.
    if (!firstPage.isFull || shown.size === countBefore) break;
    least = second + SECOND;
  }
  yield { rows: [], until };
  return until;
}

/** Page 1 of a second, and its pages 2, 3, … until one comes further. */
async function* pagesOfSecond(readPage: ReadPage, second: number, first: Page<Submission>): AsyncGenerator<Seen> {
  let until = untilAfterFirst(first, second, new Set());
  yield { rows: first.rows, until };
  const ids = new Set(idsOf(first));
  for (let number = 2, { total } = first; secondOf(until) <= second; number++) {
    const shownBefore = (number - 1) * first.rows.length;
    const next = readPage({ after: second, order: 'asc', page: number });
    // When the pages before have all rows of the total, this page is past the end, and the service may refuse it.
    const page = (shownBefore >= total ? await unlessPastEnd(next) : await next) ?? { ...first, total, rows: [] };
    until = untilAfterNext(page, number, first, second, ids);
    yield { rows: page.rows, until };
    for (const id of idsOf(page)) ids.add(id);
    total = page.total;
  }
}

/** Until when the form is shown after a page 1. @param idsBefore of the page 1 before it */
function untilAfterFirst(
  { rows, total, isFull }: Page<Submission>,
  second: number,
  idsBefore: ReadonlySet<string>,
): number {
  const hasAll = !isFull && rows.length >= total;
  // The service may round `after` down, to a minute for example. Then page 1 has rows from before it, and page 2 has the new ones.
  const isRounded = rows.length < total && rows.some(({ createdMs }) => createdMs < second);
  // The service may count rows that it does not show. Then `hasAll` never becomes true, and a page 1 that shows nothing new is the end.
  const hasNothingNew = !isRounded && rows.every(({ id }) => idsBefore.has(id));
  return hasAll || hasNothingNew ? Infinity : lastOf(rows, second);
}

/**
 * Until when the form is shown after a further page of a second. A page with fewer rows than page 1 is the last one, if the total agrees.
 *
 * @param ids of the pages from 1 to the one before
 * @throws UnexpectedResponse when the page shows nothing new, although other rows must follow
 */
function untilAfterNext(
  page: Page<Submission>,
  number: number,
  first: Page<Submission>,
  second: number,
  ids: ReadonlySet<string>,
): number {
  const { rows, total } = page;
  const shownBefore = (number - 1) * first.rows.length;
  if (rows.some(({ id }) => !ids.has(id))) {
    const isEnd = rows.length < first.rows.length && shownBefore + rows.length >= total;
    return isEnd ? Infinity : lastOf(rows, second);
  }
  // The total of an empty page may be 0, so the total of page 1 says whether all rows were shown.
  if (shownBefore >= first.total) return Infinity;
  if (number === 2 && rows.length === first.rows.length)
    throw new UnexpectedResponse("the list of submissions ignores 'page'");
  if (rows.length === 0 && first.isFull && shownBefore < total)
    throw new UnexpectedResponse('the list of submissions ends before its total');
  // The other rows of the second were deleted, or moved to a page before, or (if page 1 was not full) are never shown.
  return second + SECOND;
}

function lastOf(rows: Submission[], second: number): number {
  return Math.max(second, rows.at(-1)?.createdMs ?? second);
}

function idsOf({ rows }: Page): string[] {
  return rows.map(({ id }) => id);
}
