import { UnexpectedError } from 'n8n-workflow';
import { systemClock } from './clock';
import { changesTooMuch, endsTooSoon, MAX_RESULTS, tooMany, type List } from './list';
import { findSlice, pagesOf, type Slice } from './slice';
import { SliceReader } from './sliceReader';

/** How often a list that changes is read from its start, and ms between two reads: the service tells its time to the second. */
const MAX_READS = 5;
const WAIT_MS = 1_000;

/**
 * Reads a list, several pages at once. It reads again from the start, up to five times, while the list changes so that a row may be missing.
 *
 * One thing no response tells: a row that is added late, with an earlier creation time, makes up for one that is deleted between the same
 * two pages. With a limit, a new row does so, too.
 *
 * @param list which rows are wanted, and what is kept of each
 * @returns the results in the list's order, each row once: all that were there all the time, or as many as the limit
 * @throws what `list.request` throws; UserError when there are too many results, the list was different each time, or the service shows
 * other rows than its page numbers and totals say
 */
export async function readList<T>(list: List<T>, clock = systemClock): Promise<T[]> {
  let shownBefore: ReadonlySet<string> | undefined;
  for (let reads = 1; reads <= MAX_READS; reads++) {
    if (reads > 1) await clock.sleep(WAIT_MS);
    const { reader, verdict, slice } = await readOnce(list);
    if (verdict === 'complete') return firstOf(reader.results, list.limit);
    const shown = verdict === 'too few' && isAllShown(list, slice) ? reader.ids : undefined;
    if (shown && shownBefore && hasSameIds(shown, shownBefore)) {
      // A list that changes does not show the same rows twice, and both times fewer than its total says: so the total is wrong.
      const { total } = slice.first;
      throw endsTooSoon(list.key, total - reader.missing, total);
    }
    shownBefore = shown;
  }
  throw changesTooMuch(list.key);
}

/** Reads a list from its start, until a page ends it. */
async function readOnce<T>(list: List<T>) {
  const controller = new AbortController();
  try {
    const slice = await findSlice(list, controller.signal);
    const reader = new SliceReader(list, slice);
    for await (const page of pagesOf(list, slice, controller.signal)) {
      const verdict = reader.take(page);
      if (verdict !== 'read on') return { reader, verdict, slice };
    }
    throw new UnexpectedError('The pages of a list never end');
  } finally {
    controller.abort();
  }
}

/** @throws UserError when there are more results than n8n can take */
function firstOf<T>(results: T[], limit: number | undefined): T[] {
  if (results.length > MAX_RESULTS) throw tooMany(`more than ${MAX_RESULTS}`);
  return results.slice(0, limit);
}

/** Whether a read shows all rows that its total counts. With an upper bound it does not, unless page 1 is the whole list. */
function isAllShown<T>({ before }: List<T>, { first }: Slice): boolean {
  return before === undefined || !first.isFull;
}

function hasSameIds(ids: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return ids.size === others.size && [...ids].every((id) => others.has(id));
}
