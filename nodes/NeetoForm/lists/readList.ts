import { systemClock } from '../api/clock';
import { changesTooMuch, endsTooSoon, type List } from './list';
import { findSlice, pagesOf } from './slice';
import { SliceReader, type Verdict } from './sliceReader';

const MAX_READS = 5;

/** ms between two reads: `countedAt` has whole seconds, and a row of the same second counts as added during the read. */
const WAIT_MS = 1_000;

/**
 * Reads a list, several pages at once. When the list changes meanwhile so that a row may be missing, it reads again from the start.
 *
 * Two changes remain unnoticed:
 * - One row is deleted, and another one appears with a creation time in the past. The total and the number of rows are then as before.
 * - With a limit, one row is deleted, and any other one is added.
 *
 * @returns the results of all rows that were there throughout the reading, each once, in the order of the list, up to the limit
 * @throws what `list.request` throws; UserError when there are too many results, or the list changed during each read or contradicts itself
 */
export async function readList<T>(list: List<T>, clock = systemClock): Promise<T[]> {
  let shownBefore: ReadonlySet<string> | undefined;
  for (let reads = 1; reads <= MAX_READS; reads++) {
    if (reads > 1) await clock.sleep(WAIT_MS);
    const { reader, verdict, slice } = await readOnce(list);
    if (verdict === 'complete') return reader.results.slice(0, list.limit);
    const shown = verdict === 'too few' ? reader.ids : undefined;
    if (shown && shownBefore && hasSameIds(shown, shownBefore)) {
      // Two reads ended with the same rows, fewer than the total. A list that changes does not do that: the total is wrong.
      const { total } = slice.first;
      // The total also counts the rows beyond an upper bound. They were shown, too, although they are not in `shown`.
      const missing = slice.expected - shown.size;
      throw endsTooSoon(list.key, total - missing, total);
    }
    shownBefore = shown;
  }
  throw changesTooMuch(list.key);
}

/** Reads a list once from its start, until the verdict after a page is another than 'read on'. @throws what `readList` throws */
async function readOnce<T>(list: List<T>) {
  const controller = new AbortController();
  try {
    const slice = await findSlice(list, controller.signal);
    const reader = new SliceReader(list, slice);
    let verdict: Verdict = 'read on';
    for await (const page of pagesOf(list, slice, controller.signal)) {
      verdict = reader.take(page);
      if (verdict !== 'read on') break;
    }
    return { reader, verdict, slice };
  } finally {
    controller.abort();
  }
}

function hasSameIds(ids: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return ids.size === others.size && [...ids].every((id) => others.has(id));
}
