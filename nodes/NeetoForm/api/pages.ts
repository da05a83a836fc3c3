import { createdMs } from './parse';
import { UnexpectedResponse } from './shape';
import { MAX_IN_FLIGHT } from './concurrencyLimiter';
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

/** Pages that are under way or wait for one before them, at most: while a slow page is awaited, the next ones come in. */
const AHEAD = 8;

/** A list that changes while it is read is read again, this often at most. */
const MAX_PASSES = 5;

/**
 * Reads pages one after another until `limit` rows were taken or the list ends: when all rows the service speaks of were read,
 * nothing wanted can follow, a page is empty, or a page brings nothing new (a service that ignores the page number gives the same
 * page again and again).
 *
 * @param keep makes of a row what is kept of it
 * @returns what is kept of the wanted rows, in the service's order, each id once
 */
export async function collectSome<T>(
  read: PageReader,
  limit: number,
  { takes, isPast }: Selection,
  keep: (row: Row) => T,
): Promise<T[]> {
  const seen = new Set<string>();
  const kept: T[] = [];
  for (let page = 1; ; page++) {
    const { rows, total } = await read(page);
    const seenBefore = seen.size;
    for (const row of rows) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      if (takes(row)) kept.push(keep(row));
      if (kept.length >= limit) return kept;
    }
    if (seen.size === seenBefore || isPast?.(rows) || (total !== undefined && seen.size >= total)) return kept;
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
 * @param keep makes of a row what is kept of it until all are read, as soon as its page is there
 * @returns what is kept of the wanted rows, in the service's order, each id once; every one that was there all the time is among them
 * @throws UnexpectedResponse when the service repeats the first page although it speaks of more rows
 */
export async function collectAll<T extends object>(
  read: PageReader,
  selection: Selection,
  check: Check,
  keep: (row: Row) => T,
): Promise<T[]> {
  const known: Found<T> = new Map();
  let before: Found<T> = new Map();
  for (let pass = 1; ; pass++) {
    const { found, isWhole } = await readPass(read, selection, check, keep, known);
    if (isWhole || (pass > 1 && isSame(found, before))) return wanted(found);
    for (const [id, kept] of found) known.set(id, kept);
    if (pass === MAX_PASSES) return wanted(known);
    before = found;
  }
}

type Check = (total: number | undefined, taken: number) => void;

/** Rows by ID, in order: what is kept of each, undefined for one that is not wanted. */
type Found<T> = Map<string, T | undefined>;

interface Pass<T> {
  found: Found<T>;
  /** Whether every row that was there all the time is surely among those found. */
  isWhole: boolean;
}

async function readPass<T extends object>(
  read: PageReader,
  selection: Selection,
  check: Check,
  keep: (row: Row) => T,
  known: Found<T>,
): Promise<Pass<T>> {
  const { takes, isPast, endsEarly } = selection;
  const first = await read(1);
  // The service tells its time to the second: a row of that second may have come in later.
  const { total, serverTime = Infinity } = first;
  const found: Found<T> = new Map();
  let taken = 0;
  let wereThere = 0;
  const add = ({ rows }: Page): boolean => {
    const foundBefore = found.size;
    for (const row of rows) {
      if (found.has(row.id)) continue;
      const isTaken = takes(row);
      found.set(row.id, isTaken ? keep(row) : undefined);
      if (isTaken) taken++;
      if (known.has(row.id) || !(createdMs(row) >= serverTime)) wereThere++;
    }
    check(total, taken);
    return found.size > foundBefore;
  };

  add(first);
  let isEnded = isPast?.(first.rows) ?? false;
  let isShrinking = false;
  const lastPage =
    isEnded || first.rows.length === 0 ? 1 : total === undefined ? Infinity : Math.ceil(total / first.rows.length);
  for await (const page of pagesInOrder(read, lastPage, total === undefined || endsEarly ? 1 : AHEAD)) {
    const isNew = add(page);
    if (page.rows.length === 0 || (!isNew && total === undefined)) break;
    if (!isNew && page.rows[0]?.id === first.rows[0]?.id && page.total === total) {
      throw new UnexpectedResponse(
        `it gave the first page again when asked for the next, so only ${found.size} of ${total} can be read`,
      );
    }
    isShrinking ||= page.total !== undefined && total !== undefined && page.total < total;
    isEnded = isPast?.(page.rows) ?? false;
    if (isEnded) break;
  }
  if (isShrinking) return { found, isWhole: false };
  // Nothing can change within one answer.
  return { found, isWhole: isEnded || total === undefined || (lastPage === 1 ? found.size : wereThere) >= total };
}

/**
 * Pages 2 up to the last in order, several asked for at once, until one of them fails or the caller wants no more.
 *
 * @param ahead how many pages, the one that is awaited among them, may have been asked for
 */
async function* pagesInOrder(read: PageReader, lastPage: number, ahead: number): AsyncGenerator<Page> {
  const asked: Array<Promise<Page>> = [];
  let awaited = 2;
  let next = 2;
  let underWay = 0;
  let isOver = false;
  const ask = () => {
    for (; !isOver && underWay < MAX_IN_FLIGHT && next <= lastPage && next < awaited + ahead; next++) {
      const reading = read(next);
      underWay++;
      reading.then(
        () => {
          underWay--;
          ask();
        },
        // It is thrown in its turn.
        () => {
          isOver = true;
        },
      );
      asked.push(reading);
    }
  };
  try {
    for (; awaited <= lastPage; awaited++) {
      ask();
      const current = asked.shift();
      if (current !== undefined) yield await current;
    }
  } finally {
    isOver = true;
  }
}

function wanted<T extends object>(found: Found<T>): T[] {
  return [...found.values()].filter((kept) => kept !== undefined);
}

function isSame(found: Found<unknown>, others: Found<unknown>): boolean {
  return found.size === others.size && [...found.keys()].every((id) => others.has(id));
}
