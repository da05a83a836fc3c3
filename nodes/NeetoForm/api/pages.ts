import { createdMs } from './read';
import { UnexpectedShape } from './shape';
import type { Page, Row } from './types';

/** Gives page 1, 2, 3 … of a list. */
export type PageReader = (page: number) => Promise<Page>;

/** Which rows of a list are wanted, decided on our side. */
export interface Selection {
  takes: (row: Row) => boolean;
  /** Whether nothing wanted can follow these rows of a page. */
  isPast?: (rows: Row[]) => boolean;
  /** Whether `isPast` is there to end the list before its last page: then pages are not read ahead. */
  endsEarly: boolean;
  /** Whether the list holds rows that are not wanted, so that its total says nothing about those that are. */
  narrows: boolean;
}

/** Pages asked for ahead of the one being read. */
const AHEAD = 4;

/** A list that changes while it is read is read again, this often at most. */
const MAX_PASSES = 5;

/**
 * Reads pages one after another until `limit` rows were taken or the list ends: when all rows the service speaks of were read,
 * nothing wanted can follow, a page is empty, or a page brings nothing new (a service that ignores the page number gives the same
 * page again and again).
 *
 * @returns taken rows, in the service's order, each id once
 */
export async function collectSome(read: PageReader, limit: number, { takes, isPast }: Selection): Promise<Row[]> {
  const seen = new Set<string>();
  const taken: Row[] = [];
  for (let page = 1; ; page++) {
    const { rows, total } = await read(page);
    const fresh = freshRows(rows, seen);
    for (const row of fresh) {
      if (takes(row)) taken.push(row);
      if (taken.length >= limit) return taken;
    }
    if (fresh.length === 0 || isPast?.(rows) || (total !== undefined && seen.size >= total)) return taken;
  }
}

/**
 * Reads every page, several at a time once the first has told how many there are.
 *
 * A row deleted meanwhile moves the rows behind it to an earlier page, where they can be missed. So a pass counts only when it
 * found as many rows as there were at its start, not counting those that may have come in later, or when it found just what the
 * pass before had found; otherwise the list is read again.
 *
 * @param check hears the service's total and how many rows were taken so far; may throw to stop the work before it is done
 * @returns wanted rows, in the service's order, each id once; every one that was there all the time is among them
 * @throws UnexpectedShape when the service repeats the first page although it speaks of more rows
 */
export async function collectAll(read: PageReader, selection: Selection, check: (total: number | undefined, taken: number) => void): Promise<Row[]> {
  const known = new Map<string, Row>();
  let before: ReadonlySet<string> = new Set();
  for (let pass = 1; ; pass++) {
    const { rows, seen, isWhole } = await readPass(read, selection, check, known);
    if (isWhole || (pass > 1 && isSame(seen, before))) return rows.filter(selection.takes);
    for (const row of rows) known.set(row.id, row);
    if (pass === MAX_PASSES) return [...known.values()].filter(selection.takes);
    before = seen;
  }
}

interface Pass {
  rows: Row[];
  seen: ReadonlySet<string>;
  /** Whether every row that was there all the time is surely among the rows. */
  isWhole: boolean;
}

async function readPass(read: PageReader, selection: Selection, check: (total: number | undefined, taken: number) => void, known: ReadonlyMap<string, Row>): Promise<Pass> {
  const { takes, isPast, endsEarly } = selection;
  const first = await read(1);
  // The service tells its time to the second: a row of that second may have come in later.
  const { total, serverTime = Infinity } = first;
  const seen = new Set<string>();
  const rows: Row[] = [];
  let taken = 0;
  const add = (page: Page): boolean => {
    const fresh = freshRows(page.rows, seen);
    taken += fresh.filter(takes).length;
    check(total, taken);
    for (const row of fresh) rows.push(row);
    return fresh.length > 0;
  };

  add(first);
  let isEnded = isPast?.(first.rows) ?? false;
  let isShrinking = false;
  const lastPage = isEnded || first.rows.length === 0 ? 1 : total === undefined ? Infinity : Math.ceil(total / first.rows.length);
  for await (const page of pagesInOrder(read, lastPage, total === undefined || endsEarly ? 1 : AHEAD)) {
    const isNew = add(page);
    if (page.rows.length === 0 || (!isNew && total === undefined)) break;
    if (!isNew && page.rows[0]?.id === first.rows[0]?.id && page.total === total) {
      throw new UnexpectedShape(`it gave the first page again when asked for the next, so only ${seen.size} of ${total} can be read`);
    }
    isShrinking ||= page.total !== undefined && total !== undefined && page.total < total;
    isEnded = isPast?.(page.rows) ?? false;
    if (isEnded) break;
  }
  if (isShrinking) return { rows, seen, isWhole: false };
  // Nothing can change within one answer.
  const wereThere = lastPage === 1 ? seen.size : rows.filter((row) => known.has(row.id) || !(createdMs(row) >= serverTime)).length;
  return { rows, seen, isWhole: isEnded || total === undefined || wereThere >= total };
}

/** Pages 2 up to the last in order, with several requests under way. */
async function* pagesInOrder(read: PageReader, lastPage: number, ahead: number): AsyncGenerator<Page> {
  const underWay: Array<Promise<Page>> = [];
  for (let page = 2, next = 2; page <= lastPage; page++) {
    while (next <= lastPage && underWay.length < ahead) {
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

function isSame(ids: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return ids.size === others.size && [...ids].every((id) => others.has(id));
}
