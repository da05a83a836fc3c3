import { systemClock } from './clock';
import { changesTooMuch, endsTooSoon, MAX_RESULTS, tooMany, type List } from './list';
import { findSlice, pagesOf } from './slice';
import { SliceReader, type Verdict } from './sliceReader';

/** How often a list that changes is read from its start, and ms between two reads: the service tells its time to the second. */
const MAX_READS = 5;
const WAIT_MS = 1_000;

/** One read of a list, from its start until a page ends it. */
interface ListRead<T> {
  reader: SliceReader<T>;
  verdict: Exclude<Verdict, 'read on'>;
  /** What the service says of the number of all rows. */
  total: number;
  /** Whether all rows were on the first page, or there is no upper bound: only then every row that was counted should be shown. */
  isAllShown: boolean;
}

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
  let last: ListRead<T> | undefined;
  for (let reads = 1; reads <= MAX_READS; reads++) {
    if (reads > 1) await clock.sleep(WAIT_MS);
    const read = await readOnce(list);
    const { results } = read.reader;
    if (read.verdict === 'complete') {
      if (results.length > MAX_RESULTS) throw tooMany(`more than ${MAX_RESULTS}`);
      return results.slice(0, list.limit);
    }
    if (isTotalWrong(read, last)) throw endsTooSoon(list.key, read.total - read.reader.missing, read.total);
    last = read;
  }
  throw changesTooMuch(list.key);
}

async function readOnce<T>(list: List<T>): Promise<ListRead<T>> {
  const controller = new AbortController();
  try {
    const slice = await findSlice(list, controller.signal);
    const { first } = slice;
    const reader = new SliceReader(list, slice);
    const read = { reader, total: first.total, isAllShown: list.before === undefined || !first.isFull };
    for await (const page of pagesOf(list, slice, controller.signal)) {
      const verdict = reader.take(page);
      if (verdict !== 'read on') return { ...read, verdict };
    }
    return { ...read, verdict: 'changed' };
  } finally {
    controller.abort();
  }
}

/** Whether two reads in a row ended with the same rows, fewer than the total says: then the total is wrong, and no list that changed. */
function isTotalWrong<T>(read: ListRead<T>, last: ListRead<T> | undefined): boolean {
  if (last === undefined || [read, last].some(({ verdict, isAllShown }) => verdict !== 'too few' || !isAllShown))
    return false;
  return read.reader.ids.size === last.reader.ids.size && [...read.reader.ids].every((id) => last.reader.ids.has(id));
}
