import fc from 'fast-check';

import { createRandom, shuffled } from '../../emulator/random.ts';
import { readAll, type List } from '../../nodes/NeetoForm/api/completeList';
import { isInRange, type DateRange } from '../../nodes/NeetoForm/api/pages';
import type { Page, Row } from '../../nodes/NeetoForm/api/parse';
import { numbers, turn } from './tasks';

const START = Date.parse('2026-02-09T08:00:00Z');
const SECOND = 1_000;

type ReadPage = List<Row>['readPage'];
type Order = 'asc' | 'desc';

const rowAt = (createdMs: number, id: string): Row => ({ id, createdMs, data: {} });
const everyRow = (readPage: ReadPage): List<Row> => ({ readPage, pick: (row) => row });
/** Rows of one creation time. */
const rowsNamed = (...names: string[]): Row[] => names.map((name) => rowAt(START, name));
const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const readUpTo = async <T>(list: List<T>, limit: number) => (await readAll(list, { limit })).results;
const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

/** What happens before a response: which places are deleted, and how many rows are added. */
interface Change {
  deleted: number[];
  added: number;
}

/** How a list changes while it is read, and which part of it is wanted. */
interface Changed {
  planned: Change[];
  bounds?: Required<Pick<DateRange, 'after' | 'before'>>;
  isBoundIgnored?: boolean;
  isShuffled?: boolean;
  /** How many rows have the same creation time. */
  ties?: number;
}

const QUIET: Change = { deleted: [], added: 0 };
const GROWTH: Change = { deleted: [], added: 2 };
const deletion = (count: number): Change => ({ deleted: numbers(count).map(() => 0), added: 0 });

/** A list of a service that changes while it is read. */
class ChangingList {
  readonly rows: Row[];
  readonly requested: number[] = [];
  /** The lower bound that the request names, ms. */
  after = -Infinity;
  /** What changes before each response. */
  changes: Change[] = [];
  /** Whether rows of one creation time come in another order each time. */
  isShuffled = false;
  private readonly order: Order;
  private readonly pageSize: number;
  private readonly random = createRandom(1);
  private now = START + 400;
  private added = 0;
  private responses = 0;

  constructor(rows: Row[], order: Order, pageSize: number) {
    this.rows = rows;
    this.order = order;
    this.pageSize = pageSize;
  }

  readonly readPage: ReadPage = async (page) => {
    this.change();
    this.requested.push(page);
    // The response is made when the request arrives, and comes in later.
    const rows = this.isShuffled ? shuffled(this.rows, this.random) : this.rows;
    const sorted = rows.toSorted((a, b) => a.createdMs - b.createdMs).filter((row) => row.createdMs >= this.after);
    const listed = this.order === 'asc' ? sorted : sorted.reverse();
    const response = this.page(listed.slice((page - 1) * this.pageSize, page * this.pageSize), listed.length);
    await Promise.resolve();
    return response;
  };

  readonly countFrom: DateRange['countFrom'] = async (ms) => {
    this.change();
    const later = this.rows.filter((row) => row.createdMs >= ms);
    await Promise.resolve();
    return this.page(later.slice(0, 1), later.length);
  };

  private change(): void {
    const { deleted, added } = this.changes[this.responses++] ?? QUIET;
    for (const place of deleted) this.rows.splice(place % Math.max(1, this.rows.length), 1);
    for (let count = added; count > 0; count--) this.rows.push(rowAt(this.now, `new-${this.added++}`));
    this.now += 137;
  }

  private page(rows: Row[], total: number): Page {
    const totalPages = Math.ceil(total / this.pageSize);
    return { rows, total, totalPages, pageSize: this.pageSize, serverTime: Math.floor(this.now / SECOND) * SECOND };
  }
}

/** @param ties how many rows have the same creation time */
const listOf = (count: number, order: Order, pageSize: number, ties = 1) =>
  new ChangingList(
    numbers(count).map((index) => rowAt(START - Math.ceil((count - index) / ties) * SECOND, `old-${index}`)),
    order,
    pageSize,
  );

/** Every row that was there all the time was found, and none twice. */
function expectComplete({ rows }: ChangingList, atFirst: string[], found: string[]): void {
  const now = new Set(idsOf(rows));
  const known = new Set(found);
  expect(known.size).toBe(found.length);
  expect(atFirst.filter((id) => now.has(id) && !known.has(id))).toEqual([]);
}

const orders = fc.constantFrom<Order[]>('asc', 'desc');
const limits = fc.option(fc.integer({ min: 1, max: 300 }), { nil: Infinity });

describe('a list that does not change', () => {
  const ages = fc.tuple(fc.nat(1_000), fc.nat(1_000)).map((two) => two.sort((a, b) => a - b));
  const sizes = fc.oneof(
    fc.record({ count: fc.integer({ min: 0, max: 900 }), pageSize: fc.constant(100) }),
    fc.record({ count: fc.nat(60), pageSize: fc.integer({ min: 1, max: 12 }) }),
  );

  it.each<{ what: string; counted?: (page: Page) => Page; isUnbounded?: true }>([
    { what: 'all of it' },
    { what: 'a date range that the service locates', counted: (page) => page },
    {
      what: 'a date range although the service counts everything',
      counted: (page) => ({ ...page, rows: [rowAt(0, 'other')], total: 900 }),
      isUnbounded: true,
    },
    {
      what: 'a date range although the service counts too many',
      counted: (page) => ({ ...page, total: page.total + 150 }),
      isUnbounded: true,
    },
  ])('is read exactly, up to the limit, from no other pages: $what', async ({ counted, isUnbounded }) => {
    const wishes = fc.record({ limit: limits, every: fc.integer({ min: 1, max: 4 }), size: sizes });
    await fc.assert(
      fc.asyncProperty(wishes, ages, orders, async ({ limit, every, size }, [young, old], order) => {
        const { count, pageSize } = size;
        const list = listOf(count, order, pageSize);
        const bounds = counted && { after: START - old * SECOND, before: START - young * SECOND };
        list.after = bounds?.after ?? -Infinity;
        const range = counted &&
          bounds && { ...bounds, countFrom: async (ms: number) => counted(await list.countFrom(ms)) };
        const inRange = list.rows.filter((row) => isInRange(bounds ?? {}, row));
        const wanted = new Set(inRange.filter((_, index) => index % every === 0));
        const pick = (row: Row) => (wanted.has(row) ? row : undefined);
        const isFiltered = every > 1;
        const found = await readAll({ readPage: list.readPage, pick, isFiltered, order, range }, { limit });
        const results = order === 'asc' ? [...wanted] : [...wanted].reverse();
        expect(found).toEqual({ results: results.slice(0, limit), isComplete: true });
        if (isUnbounded || pageSize < 100) return;
        // One behind a page that is full, and one that begins with later rows.
        const pages = Math.ceil(inRange.length / 100) + (counted ? 2 : 1);
        expect(list.requested.length).toBeLessThanOrEqual(pages);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[what: string, order: Order, bounds: Pick<DateRange, 'before'>, limit: number, requested: number]>([
    ['needs', 'asc', {}, 150, 2],
    ['may need after the later rows', 'desc', { before: START - 120 * SECOND }, 150, 3],
    ['needs before the later rows', 'asc', { before: START - 800 * SECOND }, 150, 2],
  ])('is read up to a limit from only the pages that it %s', async (_what, order, bounds, limit, requested) => {
    const list = listOf(1_000, order, 100);
    const pick = (row: Row) => row;
    const range = { ...bounds, countFrom: list.countFrom };
    expect(await readUpTo({ readPage: list.readPage, pick, order, range }, limit)).toHaveLength(limit);
    await turn();
    expect(list.requested).toHaveLength(requested);
  });
});

describe('a list that changes while it is read', () => {
  const changes = fc.array(fc.record({ deleted: fc.array(fc.nat(), { maxLength: 3 }), added: fc.nat({ max: 3 }) }), {
    maxLength: 12,
  });
  /** Rows are deleted and none arrive, or with each deletion at least as many arrive: totals tell both. */
  const oneSidedChanges = fc
    .tuple(changes, fc.boolean())
    .map(([planned, grows]) =>
      planned.map(({ deleted, added }): Change => ({ deleted, added: grows ? Math.max(added, deleted.length) : 0 })),
    );
  const bound = fc.integer({ min: 0, max: 300 }).map((age) => START - age * SECOND);
  it('gives every row that existed throughout, none twice and in order, or says that it may not', async () => {
    const changed = fc.oneof<Array<fc.Arbitrary<Changed>>>(
      fc.record({ planned: changes }),
      // Then the service may count all rows instead of those from the end of the range on.
      fc.record({
        planned: oneSidedChanges,
        bounds: fc.tuple(bound, bound).map((times) => ({ after: Math.min(...times), before: Math.max(...times) })),
        isBoundIgnored: fc.boolean(),
      }),
      // Rows of one time change places, too.
      fc.record({
        planned: changes.map((planned) => planned.map(({ deleted }) => ({ deleted, added: 0 }))),
        isShuffled: fc.constant(true),
        ties: fc.integer({ min: 2, max: 40 }),
      }),
    );
    const lists = fc.record({ count: fc.integer({ min: 0, max: 300 }), pageSize: fc.integer({ min: 20, max: 100 }) });
    const isEnough = { order: 'asc', limit: Infinity } as const;
    await fc.assert(
      // A page always holds more rows than arrive between two responses: else it looks like the page before.
      fc.asyncProperty(lists, fc.record({ order: orders, limit: limits }), changed, async (size, wish, how) => {
        const { order, limit } = wish;
        const { bounds, planned, isBoundIgnored = false, isShuffled = false, ties = 1 } = how;
        const list = listOf(size.count, order, size.pageSize, ties);
        Object.assign(list, { after: bounds?.after ?? -Infinity, changes: planned, isShuffled });
        const pick = (row: Row) => row;
        const atFirst = idsOf(list.rows.filter((row) => isInRange(bounds ?? {}, row)));
        const countFrom = async (ms: number) => await list.countFrom(isBoundIgnored ? -Infinity : ms);
        const range = bounds && { ...bounds, countFrom };
        const read = { readPage: list.readPage, pick, order, range };
        const { results, isComplete } = await readAll(read, { limit });
        const found = idsOf(results);
        expect(found.length).toBeLessThanOrEqual(limit);
        if (found.length < limit && (isComplete || !isShuffled)) expectComplete(list, atFirst, found);
        if (bounds) expect(found.filter((id) => !atFirst.includes(id))).toEqual([]);
        const times = results.map(({ createdMs }) => createdMs);
        expect(times).toEqual(times.toSorted((a, b) => (order === 'asc' ? a - b : b - a)));
      }),
      {
        numRuns: 1_200,
        examples: [
          [{ count: 30, pageSize: 10 }, isEnough, { planned: [QUIET, { deleted: [0], added: 1 }] }],
          // Row 20 moves to the page before in both passes.
          [
            { count: 30, pageSize: 10 },
            isEnough,
            { planned: [QUIET, QUIET, deletion(1), QUIET, deletion(9), deletion(1)] },
          ],
          [
            { count: 4, pageSize: 5 },
            { ...isEnough, order: 'desc' },
            { planned: [GROWTH, { deleted: [0, 0, 0], added: 3 }] },
          ],
        ],
      },
    );
  });

  it('is given up when it never stops changing', async () => {
    const list = listOf(45, 'asc', 10);
    const atFirst = idsOf(list.rows);
    list.changes = numbers(100).map(() => ({ deleted: [0], added: 1 }));
    const { results, isComplete } = await readAll(everyRow(list.readPage), { maxPasses: 5 });
    expectComplete(list, atFirst, idsOf(results));
    expect(isComplete).toBe(false);
    expect(list.requested.length).toBeLessThanOrEqual(26);
  });
});

describe('reading a list', () => {
  /** Three pages of three rows, the first row of each repeated. */
  const readPage: ReadPage = async (page) => ({
    rows: page > 3 ? [] : rowsNamed(`a-${page}`, `b-${page}`, `a-${page}`),
    total: 6,
    pageSize: 3,
  });

  it('keeps what it picks of each row, and picks each row once', async () => {
    const picked: string[] = [];
    const pick = ({ id }: Row) => {
      picked.push(id);
      return id.startsWith('a') ? { name: id } : undefined;
    };
    const list = { readPage, pick, isFiltered: true };
    const names = [1, 2, 3].map((page) => ({ name: `a-${page}` }));
    expect((await readAll(list)).results).toEqual(names);
    expect(picked).toEqual([1, 2, 3].flatMap((page) => [`a-${page}`, `b-${page}`]));
    expect(await readUpTo(list, 2)).toEqual(names.slice(0, 2));
  });

  it('stops where the caller may not continue, and says that the results are not complete', async () => {
    const { rows } = await readPage(1);
    const stopped = await readAll(everyRow(readPage), { mayContinue: () => false });
    expect(stopped).toEqual({ results: rows.slice(0, 2), isComplete: false });
  });

  it('fails with the page that failed, aborts those in flight, and requests no other', async () => {
    const broken = new Error('page 3');
    const requested: number[] = [];
    const aborted: number[] = [];
    const list = everyRow(async (page, signal) => {
      requested.push(page);
      await wait(page * 2);
      if (signal?.aborted) aborted.push(page);
      if (page >= 3) throw page === 3 ? broken : new Error('a later page');
      return { rows: rowsNamed(`row-${page}`), total: 30, pageSize: 1 };
    });
    await expect(readAll(list)).rejects.toBe(broken);
    const requestedThen = requested.length;
    await wait(60);
    expect(requested).toHaveLength(requestedThen);
    expect(Math.max(...requested)).toBeLessThanOrEqual(8);
    expect(aborted.length).toBeGreaterThan(0);
  });
});
