import fc from 'fast-check';

import { readAll, type List } from '../../nodes/NeetoForm/api/completeList';
import { isInRange, type DateRange } from '../../nodes/NeetoForm/api/pages';
import type { Page, Row } from '../../nodes/NeetoForm/api/parse';
import { numbers, turn } from './tasks';

const START = Date.parse('2026-02-09T08:00:00Z');
const SECOND = 1_000;

type ReadPage = List<Row>['readPage'];

const rowAt = (createdMs: number, id: string): Row => ({ id, createdMs, data: {} });
const everyRow = (readPage: ReadPage): List<Row> => ({ readPage, pick: (row) => row });
/** Rows of one creation time. */
const rowsNamed = (...names: string[]): Row[] => names.map((name) => rowAt(START, name));
const manyRows = (count: number): Row[] => numbers(count).map((index) => rowAt(START, `row-${index}`));
const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const readUpTo = async <T>(list: List<T>, limit: number) => (await readAll(list, { limit })).results;
const idsOf = ({ results }: { results: Row[] }) => results.map(({ id }) => id);

interface Change {
  deleted: number[];
  added: number;
}

interface Changed {
  bounds: Pick<DateRange, 'after' | 'before'>;
  planned: Change[];
  isBoundIgnored: boolean;
}

const QUIET: Change = { deleted: [], added: 0 };
const GROWTH: Change = { deleted: [], added: 2 };

function randomFrom(seed: number): () => number {
  return () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** A list of a service that changes while it is read. */
class ChangingList {
  readonly rows: Row[];
  readonly requested: number[] = [];
  /** The lower bound that the request names, ms. */
  after = -Infinity;
  /** What changes before each response: which places are deleted, and how many rows are added. */
  changes: Change[] = [];
  /** Whether rows of one creation time come in another order each time. */
  isShuffled = false;
  private readonly order: 'asc' | 'desc';
  private readonly pageSize: number;
  private readonly random = randomFrom(1);
  private now = START + 400;
  private added = 0;
  private responses = 0;

  constructor(rows: Row[], order: 'asc' | 'desc', pageSize: number) {
    this.rows = rows;
    this.order = order;
    this.pageSize = pageSize;
  }

  readonly readPage: ReadPage = async (page) => {
    this.change();
    this.requested.push(page);
    // The response is made when the request arrives, and comes in later.
    const placed = this.rows.map((row) => ({ row, place: this.isShuffled ? this.random() : 0 }));
    placed.sort((a, b) => a.row.createdMs - b.row.createdMs || a.place - b.place);
    const matching = placed.map(({ row }) => row).filter((row) => row.createdMs >= this.after);
    const listed = this.order === 'asc' ? matching : matching.reverse();
    const response = this.page(listed.slice((page - 1) * this.pageSize, page * this.pageSize), matching.length);
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
const listOf = (count: number, order: 'asc' | 'desc', pageSize: number, ties = 1) =>
  new ChangingList(
    numbers(count).map((index) => rowAt(START - Math.ceil((count - index) / ties) * SECOND, `old-${index}`)),
    order,
    pageSize,
  );

const orders = fc.constantFrom('asc' as const, 'desc' as const);

const changes = fc.array(fc.record({ deleted: fc.array(fc.nat(), { maxLength: 3 }), added: fc.nat({ max: 3 }) }), {
  maxLength: 12,
});

/** Rows are deleted and none arrive, or with each deletion at least as many arrive: totals tell both. */
const oneSidedChanges = fc
  .tuple(changes, fc.boolean())
  .map(([planned, grows]) =>
    planned.map(({ deleted, added }): Change => ({ deleted, added: grows ? Math.max(added, deleted.length) : 0 })),
  );

/** A list of so many pages with one row each; further pages are empty. */
const rowPerPage = (page: number, pages: number): Page => ({
  rows: page > pages ? [] : rowsNamed(`row-${page}`),
  total: pages,
  pageSize: 1,
});

/** Every row that was there all the time was found, and none twice. */
function expectComplete({ rows }: ChangingList, atFirst: string[], found: string[]): void {
  const now = new Set(rows.map(({ id }) => id));
  const known = new Set(found);
  expect(known.size).toBe(found.length);
  expect(atFirst.filter((id) => now.has(id) && !known.has(id))).toEqual([]);
}

/** Pages of rows that come in another order with every response. */
function shuffled(rows: Row[], pageOf: (page: number) => number, rest: Partial<Page>): ReadPage {
  const random = randomFrom(1);
  return async (page) => {
    const placed = rows.map((row) => ({ row, place: random() })).sort((a, b) => a.place - b.place);
    const first = (pageOf(page) - 1) * 100;
    return { rows: placed.slice(first, first + 100).map(({ row }) => row), ...rest };
  };
}

describe('reading a list completely', () => {
  it('reads a list that does not change once: each page, and one behind a page that is full', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 900 }), orders, async (count, order) => {
        const list = listOf(count, order, 100);
        const { results, isComplete } = await readAll({ ...everyRow(list.readPage), order });
        expect([results, isComplete]).toEqual([order === 'asc' ? list.rows : list.rows.toReversed(), true]);
        expect(list.requested.length).toBeLessThanOrEqual(Math.ceil(count / 100) + 1);
      }),
      {
        numRuns: 100,
        examples: [
          [100, 'asc'],
          [200, 'desc'],
          [0, 'asc'],
        ],
      },
    );
  });

  it('stops where the caller may not continue, and says that the results are not complete', async () => {
    const rows = rowsNamed('a', 'b');
    const list = everyRow(async () => ({ rows, total: 9, pageSize: 2 }));
    expect(await readAll(list, { mayContinue: () => false })).toEqual({ results: rows, isComplete: false });
  });

  it.each([250, 150])('fails when the service repeats a page of 100 rows although it reports %i', async (total) => {
    const list = everyRow(async () => ({ rows: manyRows(100), total, pageSize: 100 }));
    await expect(readAll(list)).rejects.toThrow(`so only 100 of ${total} rows can be read`);
    await expect(readUpTo(list, 200)).rejects.toThrow(`so only 100 of ${total} rows can be read`);
  });

  it.each([100, undefined])('ends when the service repeats a page and reports no more rows (%p)', async (total) => {
    let requested = 0;
    const list = everyRow(async () => {
      requested++;
      return { rows: manyRows(100), total };
    });
    expect((await readAll(list)).results).toHaveLength(100);
    expect(requested).toBe(2);
    expect(await readUpTo(list, 200)).toHaveLength(100);
  });

  it('returns every row, or those of a date range, that existed throughout, and none twice, although the list changes', async () => {
    const bound = fc.integer({ min: 0, max: 300 }).map((age) => START - age * SECOND);
    const changed = fc.oneof(
      fc.record({ bounds: fc.constant({}), planned: changes, isBoundIgnored: fc.constant(false) }),
      fc.record({
        bounds: fc.tuple(bound, bound).map((times) => ({ after: Math.min(...times), before: Math.max(...times) })),
        planned: oneSidedChanges,
        // Then the service counts all rows instead of those from the end of the range on.
        isBoundIgnored: fc.boolean(),
      }),
    );
    await fc.assert(
      // A page always holds more rows than arrive between two responses: else it looks like the page before.
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 20, max: 100 }),
        orders,
        changed,
        async (count, pageSize, order, { bounds, planned, isBoundIgnored }: Changed) => {
          const list = listOf(count, order, pageSize);
          list.after = bounds.after ?? -Infinity;
          const pick = (row: Row) => (isInRange(bounds, row) ? row : undefined);
          const atFirst = list.rows.filter(pick).map(({ id }) => id);
          list.changes = planned;
          const countFrom = async (ms: number) => await list.countFrom(isBoundIgnored ? -Infinity : ms);
          const range = bounds.before === undefined ? undefined : { ...bounds, order, countFrom };
          const isFiltered = range !== undefined;
          const found = idsOf(await readAll({ readPage: list.readPage, pick, isFiltered, range }));
          expectComplete(list, atFirst, found);
          if (isFiltered) expect(found.filter((id) => !atFirst.includes(id))).toEqual([]);
        },
      ),
      {
        numRuns: 600,
        examples: [
          [30, 10, 'asc', { bounds: {}, planned: [QUIET, { deleted: [0], added: 1 }], isBoundIgnored: false }],
          [4, 5, 'desc', { bounds: {}, planned: [GROWTH, { deleted: [0, 0, 0], added: 3 }], isBoundIgnored: false }],
        ],
      },
    );
  });

  it.each([
    { what: 'counts the page', total: () => 100 },
    { what: 'is too low', total: () => 150 },
    { what: 'is too low, and the page that reaches it is not full', total: () => 205, length: 230 },
    { what: 'counts the page, with pages of 30', total: (rows: Row[]) => rows.length, pageSize: 30 },
    { what: 'counts the page, as does the number of pages', total: (rows: Row[]) => rows.length, totalPages: 1 },
    { what: 'is too high', total: () => 100_000 },
    { what: 'is missing', total: () => undefined },
  ])('returns all rows when the total $what', async ({ total, length = 205, pageSize = 100, totalPages }) => {
    const rows = manyRows(length);
    let requests = 0;
    const readPage: ReadPage = async (page) => {
      requests++;
      const shown = rows.slice((page - 1) * pageSize, page * pageSize);
      return { rows: shown, total: total(shown), totalPages };
    };
    expect((await readAll(everyRow(readPage))).results).toEqual(rows);
    // Two passes, each with up to eight pages ahead of the empty one.
    expect(requests).toBeLessThanOrEqual(24);
  });

  it('continues as long as total_pages says that there are more', async () => {
    const readPage: ReadPage = async (page) => ({ rows: rowPerPage(page, 3).rows, total: 1, totalPages: 3 });
    expect((await readAll(everyRow(readPage))).results).toHaveLength(3);
  });

  it.each([250, undefined])('reads 250 rows that come in another order each time (total %p)', async (total) => {
    const readPage = shuffled(manyRows(250), (page) => page, { total, serverTime: START + SECOND });
    const { results, isComplete } = await readAll(everyRow(readPage), { maxPasses: 40 });
    expect({ count: results.length, isComplete }).toEqual({ count: 250, isComplete: true });
  });

  it.each([250, undefined])(
    'ends on a service that ignores the page number and shuffles its rows (total %p)',
    async (total) => {
      const list = everyRow(shuffled(manyRows(250), () => 1, { total }));
      expect((await readAll(list)).results.length).toBeGreaterThan(100);
      expect((await readUpTo(list, 200)).length).toBeGreaterThan(100);
    },
  );

  it('returns every row that existed throughout, or says that it may not, when rows of one time change places, too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 2, max: 40 }),
        orders,
        changes,
        async (count, ties, order, planned) => {
          const list = listOf(count, order, 50, ties);
          list.isShuffled = true;
          const atFirst = list.rows.map(({ id }) => id);
          list.changes = planned.map(({ deleted }) => ({ deleted, added: 0 }));
          const found = await readAll({ ...everyRow(list.readPage), order });
          if (found.isComplete) expectComplete(list, atFirst, idsOf(found));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('ends when the list never stops changing', async () => {
    const list = listOf(45, 'asc', 10);
    const atFirst = list.rows.map(({ id }) => id);
    list.changes = numbers(100).map(() => ({ deleted: [0], added: 1 }));
    const { results, isComplete } = await readAll(everyRow(list.readPage), { maxPasses: 5 });
    expectComplete(list, atFirst, idsOf({ results }));
    expect(isComplete).toBe(false);
    expect(list.requested.length).toBeLessThanOrEqual(26);
  });

  it('keeps only what it picks of each row, and picks each row once', async () => {
    const picked: string[] = [];
    const list: List<{ name: string }> = {
      readPage: async (page) => ({
        rows: page > 2 ? [] : rowsNamed(`a-${page}`, `b-${page}`, `a-${page}`),
        total: 4,
        pageSize: 3,
      }),
      pick: ({ id }) => {
        picked.push(id);
        return id.startsWith('a') ? { name: id } : undefined;
      },
      isFiltered: true,
    };
    expect((await readAll(list)).results).toEqual([{ name: 'a-1' }, { name: 'a-2' }]);
    expect(picked).toEqual(['a-1', 'b-1', 'a-2', 'b-2']);
    expect(await readUpTo(list, 2)).toEqual([{ name: 'a-1' }, { name: 'a-2' }]);
  });

  it('fails with the page that failed, aborts those in flight, and requests no other', async () => {
    const broken = new Error('page 3');
    const requested: number[] = [];
    const aborted: number[] = [];
    const readPage: ReadPage = async (page, signal) => {
      requested.push(page);
      await wait(page * 2);
      if (signal?.aborted) aborted.push(page);
      if (page >= 3) throw page === 3 ? broken : new Error('a later page');
      return rowPerPage(page, 30);
    };
    await expect(readAll(everyRow(readPage))).rejects.toBe(broken);
    const requestedThen = requested.length;
    await wait(60);
    expect(requested).toHaveLength(requestedThen);
    expect(Math.max(...requested)).toBeLessThanOrEqual(8);
    expect(aborted.length).toBeGreaterThan(0);
  });

  it('calls the check after each page with the number of results so far, and stops when it throws', async () => {
    const calls: Array<[number | undefined, number]> = [];
    const rows = (page: number) => (page > 3 ? [] : rowsNamed(`a-${page}`, `b-${page}`, `c-${page}`));
    const list: List<Row> = {
      readPage: async (page) => ({ rows: rows(page), total: 9, pageSize: 3 }),
      pick: (row) => (row.id.startsWith('a') ? row : undefined),
    };
    await readAll(list, { check: (total, results) => calls.push([total, results]) });
    expect(calls).toEqual([1, 2, 3, 3].map((results) => [9, results]));
    const check = () => {
      throw new Error('too many');
    };
    await expect(readAll(list, { check })).rejects.toThrow('too many');
  });

  it('reads a page of 200,000 rows', async () => {
    const rows = numbers(200_000).map((index): Row => ({ id: String(index), createdMs: NaN, data: {} }));
    expect((await readAll(everyRow(async () => ({ rows, total: rows.length })))).results).toHaveLength(200_000);
  });
});

describe('a date range', () => {
  const ages = fc.tuple(fc.nat(1_000), fc.nat(1_000)).map((two) => two.sort((a, b) => a - b));

  it.each<[what: string, counted: (page: Page) => Page, isLocated: boolean]>([
    ['that the service locates, with no other page', (page) => page, true],
    ['without totals', ({ rows }) => ({ rows }), false],
    ['although the service counts everything', (page) => ({ ...page, rows: [rowAt(0, 'other')], total: 900 }), false],
    ['although the service counts too many', (page) => ({ ...page, total: (page.total ?? 0) + 150 }), false],
  ])('is read exactly, %s', async (_what, counted, isLocated) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 900 }), ages, orders, async (count, [young, old], order) => {
        const list = listOf(count, order, 100);
        const bounds = { after: START - old * SECOND, before: START - young * SECOND, order };
        list.after = bounds.after;
        const pick = (row: Row) => (isInRange(bounds, row) ? row : undefined);
        const range = { ...bounds, countFrom: async (ms: number) => counted(await list.countFrom(ms)) };
        const { results } = await readAll({ readPage: list.readPage, pick, isFiltered: true, range });
        const wanted = list.rows.filter(pick);
        expect(results).toEqual(order === 'asc' ? wanted : wanted.reverse());
        if (isLocated) expect(list.requested.length).toBeLessThanOrEqual(Math.ceil(wanted.length / 100) + 2);
      }),
      { numRuns: 100 },
    );
  });
});

describe('reading up to a limit', () => {
  it('is complete as well when the list ends before the limit, and in order, although the list changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 20, max: 100 }),
        fc.integer({ min: 1, max: 300 }),
        orders,
        changes,
        async (count, pageSize, limit, order, planned) => {
          const list = listOf(count, order, pageSize);
          const atFirst = list.rows.map(({ id }) => id);
          list.changes = planned;
          const { results } = await readAll({ ...everyRow(list.readPage), order }, { limit });
          if (results.length < limit) expectComplete(list, atFirst, idsOf({ results }));
          expect(results.length).toBeLessThanOrEqual(limit);
          const times = results.map(({ createdMs }) => createdMs);
          expect(times).toEqual(times.toSorted((a, b) => (order === 'asc' ? a - b : b - a)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each<[what: string, bounds: Pick<DateRange, 'before' | 'order'>, limit: number, requested: number]>([
    ['needs', { order: 'asc' }, 150, 2],
    ['may need after the later rows', { order: 'desc', before: START - 120 * SECOND }, 150, 3],
    ['needs before the later rows', { order: 'asc', before: START - 800 * SECOND }, 150, 2],
  ])('requests only the pages that it %s', async (_what, bounds, limit, requested) => {
    const list = listOf(1_000, bounds.order, 100);
    const pick = (row: Row) => (isInRange(bounds, row) ? row : undefined);
    const range = { ...bounds, countFrom: list.countFrom };
    expect(await readUpTo({ readPage: list.readPage, pick, range }, limit)).toHaveLength(limit);
    await turn();
    expect(list.requested).toHaveLength(requested);
  });

  it('returns the first wanted rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 4 }),
        async (count, pageSize, limit, every) => {
          const list = new ChangingList(rowsNamed(...numbers(count).map(String)), 'asc', pageSize);
          const isWanted = ({ id }: Row) => Number(id) % every === 0;
          const wanted = list.rows.filter(isWanted).slice(0, limit);
          const pick = (row: Row) => (isWanted(row) ? row : undefined);
          expect(await readUpTo({ readPage: list.readPage, pick, isFiltered: every > 1 }, limit)).toEqual(wanted);
        },
      ),
      { numRuns: 200 },
    );
  });
});
