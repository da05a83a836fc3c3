import { systemClock } from '../api/clock';
import { incomplete, type List } from './list';
import { findSlice, pagesOf } from './slice';
import { SliceReader } from './sliceReader';

const MAX_READS = 3;

/** ms between two reads. `countedAt` has whole seconds, so a row of that second counts as added during the read. A second later, it does not. */
const WAIT_MS = 1_000;

/**
 * Reads a list, several pages at once. When a row may be missing, because the list changes meanwhile, it reads again from the start.
 *
 * Three changes remain unnoticed:
 * - One row is deleted, and another one appears with a creation time in the past. The total and the number of rows are then as before.
 * - With a limit, one row is deleted, and any other one is added: a read that has reached its limit is complete without counting rows.
 * - One row is deleted, and the total does not show it, because the service's totals are too low or capped.
 *
 * @returns the results of all rows that were there throughout the reading, each once, in the order of the list, up to the limit
 * @throws what `list.readPage` throws; UserError when there are too many results, or a row may be missing after three reads
 */
export async function readList<T>(list: List<T>, clock = systemClock): Promise<T[]> {
  for (let reads = 1; ; reads++) {
    const { reader, total } = await readOnce(list);
    if (reader.isComplete) return reader.results.slice(0, list.limit);
    if (reads === MAX_READS) throw incomplete(list.key, reader.shown, total);
    await clock.sleep(WAIT_MS);
  }
}

/** Reads a list once from its start. @throws what `readList` throws */
async function readOnce<T>(list: List<T>) {
  const controller = new AbortController();
  try {
    const slice = await findSlice(list, controller.signal);
    const reader = new SliceReader(list, slice);
    for await (const page of pagesOf(list, slice, controller.signal)) {
      reader.take(page);
      if (reader.isOver) break;
    }
    return { reader, total: slice.first.total };
  } finally {
    controller.abort();
  }
}
