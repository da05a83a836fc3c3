import { createdMs } from './read';
import { UnexpectedShape } from './shape';
import type { Page, Row } from './types';

/** Gives page 1, 2, 3 … of a list. */
export type PageReader = (page: number) => Promise<Page>;

/** What to do with a row: hand it out, pass it over, or pass it over and read no further. */
export type Verdict = 'take' | 'skip' | 'end';

/** Pages asked for ahead of the one being read. */
const AHEAD = 4;

/** A list that changes while it is read is read again, this often at most. */
const MAX_PASSES = 5;

/**
 * Reads pages one after another until `limit` rows were taken, `judge` ends it, or the list does: when all rows the service
 * speaks of were read, at an empty page, or at a page that brings nothing new (a service that ignores the page number gives the
 * same page again and again).
 *
 * @returns taken rows, in the service's order, each id once
 */
export async function collectSome(read: PageReader, limit: number, judge: (row: Row) => Verdict): Promise<Row[]> {
  const seen = new Set<string>();
  const taken: Row[] = [];
  for (let page = 1; ; page++) {
    const { rows, total } = await read(page);
    const fresh = freshRows(rows, seen);
    for (const row of fresh) {
      const verdict = judge(row);
      if (verdict === 'end') return taken;
      if (verdict === 'take') taken.push(row);
      if (taken.length >= limit) return taken;
    }
    if (fresh.length === 0 || (total !== undefined && seen.size >= total)) return taken;
  }
}

/**
 * Reads every page, several at a time once the first has told how many there are.
 *
 * A row deleted meanwhile moves the rows behind it to an earlier page, where they can be missed. So a pass counts only when it
 * found as many rows as there were at its start, not counting those that came in later; otherwise the list is read again.
 *
 * @param check sees the first page of each pass; may throw to stop the work before it is done
 * @returns all rows, in the service's order, each id once; every row that was there all the time is among them
 * @throws UnexpectedShape when the service repeats a page although it speaks of more rows
 */
export async function collectAll(read: PageReader, check: (first: Page) => void): Promise<Row[]> {
  const known = new Map<string, Row>();
  for (let pass = 1; ; pass++) {
    const { rows, isWhole } = await readPass(read, check, known);
    if (isWhole) return rows;
    for (const row of rows) known.set(row.id, row);
    if (pass === MAX_PASSES) return [...known.values()];
  }
}

async function readPass(read: PageReader, check: (first: Page) => void, known: ReadonlyMap<string, Row>): Promise<{ rows: Row[]; isWhole: boolean }> {
  const first = await read(1);
  check(first);
  const seen = new Set<string>();
  const rows = freshRows(first.rows, seen);
  const { total, serverTime = Infinity } = first;
  if (total === undefined) {
    await readUntilNothingNew(read, rows, seen);
    return { rows, isWhole: true };
  }
  const lastPage = first.rows.length === 0 ? 1 : Math.ceil(total / first.rows.length);
  let isShrinking = false;
  for await (const page of pagesInOrder(read, 2, lastPage)) {
    const fresh = freshRows(page.rows, seen);
    if (fresh.length === 0 && page.rows.length > 0 && seen.size === first.rows.length) {
      throw new UnexpectedShape(`it gave the first page again when asked for the next, so only ${seen.size} of ${total} can be read`);
    }
    rows.push(...fresh);
    isShrinking ||= page.total !== undefined && page.total < total;
  }
  const wereThere = rows.filter((row) => known.has(row.id) || !(createdMs(row) >= serverTime + 1000));
  return { rows, isWhole: !isShrinking && wereThere.length >= total };
}

async function readUntilNothingNew(read: PageReader, rows: Row[], seen: Set<string>): Promise<void> {
  for (let page = 2; ; page++) {
    const fresh = freshRows((await read(page)).rows, seen);
    if (fresh.length === 0) return;
    rows.push(...fresh);
  }
}

/** Pages `from` to `to` in order, with up to `AHEAD` requests under way. */
async function* pagesInOrder(read: PageReader, from: number, to: number): AsyncGenerator<Page> {
  const underWay: Array<Promise<Page>> = [];
  for (let page = from, next = from; page <= to; page++) {
    while (next <= to && underWay.length < AHEAD) {
      const reading = read(next++);
      // Awaited in its turn; until then a failure must not count as unhandled.
      reading.catch(() => undefined);
      underWay.push(reading);
    }
    const current = underWay.shift();
    if (current !== undefined) yield await current;
  }
}

function freshRows(rows: Row[], seen: Set<string>): Row[] {
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}
