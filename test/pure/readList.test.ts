import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../../nodes/NeetoForm/api/clock';
import type { Row } from '../../nodes/NeetoForm/api/parse';
import type { List } from '../../nodes/NeetoForm/api/list';
import { readList } from '../../nodes/NeetoForm/api/readList';
import type { ApiResponse } from '../../nodes/NeetoForm/api/request';

/** Random lists to read: `LISTS=20000 npx jest test/pure/readList.test.ts` tries as many as the promise names. */
const LISTS = Number(process.env['LISTS'] ?? 400);

const NO_WAIT = { ...systemClock, sleep: async () => await Promise.resolve() };

const START = Date.parse('2026-02-09T08:00:00Z');
const SECOND = 1_000;

type Order = 'asc' | 'desc';
type Bounds = Pick<List<Row>, 'after' | 'before'>;

const rowAt = (createdMs: number, id: string): Row => ({ id, createdMs, data: {} });
const asSent = ({ id, createdMs }: Row) => ({ id, created_at: new Date(createdMs).toISOString(), responses: [] });
const idsOf = (rows: Row[]) => rows.map(({ id }) => id);
const isWithin = ({ after = -Infinity, before = Infinity }: Bounds, { createdMs }: Row) =>
  createdMs >= after && createdMs < before;

/** Numbers from 0 to 1, 1 excluded: the same for each seed. */
function numbersFrom(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** What happens before a response: which places are deleted, how many rows arrive, and the places where rows turn up late. */
interface Change {
  deleted: number[];
  added: number;
  late: number[];
}

const QUIET: Change = { deleted: [], added: 0, late: [] };

/** A list of a service that changes while it is read. */
class ChangingList {
  rows: Row[];
  changes: Change[] = [];
  /** Whether rows of one creation time come in another order each time. */
  isShuffled = false;
  bounds: Bounds = {};
  readonly order: Order;
  private readonly pageSize: number;
  /** In which order requests arrive, and rows of one creation time come. */
  random = numbersFrom(1);
  private now = START + 400;
  private added = 0;
  responses = 0;

  /** @param ties how many rows have the same creation time */
  constructor(count: number, order: Order, pageSize: number, ties = 1) {
    this.rows = Array.from({ length: count }, (_, index) =>
      rowAt(START - Math.ceil((count - index) / ties) * SECOND, `old-${index}`),
    );
    this.order = order;
    this.pageSize = pageSize;
  }

  asList(more: Partial<List<Row>> = {}): List<Row> {
    return {
      key: 'submissions',
      order: this.order,
      ...this.bounds,
      request: async (query, parse) => parse(await this.respond(query)),
      resultOf: (row) => row,
      ...more,
    };
  }

  async respond({ order, submitted_after: after, page }: IDataObject): Promise<ApiResponse> {
    // Requests that are sent together arrive in any order.
    await this.pass();
    this.change();
    const from = typeof after === 'string' ? Date.parse(after) : undefined;
    const listed = this.sorted(order === 'asc' ? 'asc' : 'desc', from);
    const end = Number(page) * this.pageSize;
    const submissions = listed.slice(end - this.pageSize, end).map(asSent);
    const body = { submissions, pagination: { total_records: listed.length } };
    const response = { status: 200, body, serverTime: Math.floor(this.now / SECOND) * SECOND };
    await this.pass();
    return response;
  }

  private async pass(): Promise<void> {
    for (let ticks = Math.floor(this.random() * 20); ticks > 0; ticks--) await Promise.resolve();
  }

  private sorted(order: Order, after = -Infinity): Row[] {
    const ranks = new Map(this.rows.map((row) => [row, this.isShuffled ? this.random() : 0]));
    const rankOf = (row: Row) => ranks.get(row) ?? 0;
    const sorted = this.rows
      .toSorted((a, b) => a.createdMs - b.createdMs || rankOf(a) - rankOf(b))
      .filter((row) => row.createdMs >= after);
    return order === 'asc' ? sorted : sorted.reverse();
  }

  private change(): void {
    const { deleted, added, late } = this.changes[this.responses++] ?? QUIET;
    for (const place of deleted) this.rows.splice(place % Math.max(1, this.rows.length), 1);
    for (let count = added; count > 0; count--) this.rows.push(rowAt(this.now, `new-${this.added++}`));
    for (const place of late) {
      const createdMs = (this.rows[place % Math.max(1, this.rows.length)]?.createdMs ?? START) + 1;
      this.rows.push(rowAt(createdMs, `late-${this.added++}`));
    }
    this.now += 137;
  }
}

/** Rows that come and go; those that turn up late come alone, because they make up for rows that are gone. */
const places = (maxLength: number) => fc.array(fc.nat(), { maxLength });
const changes = (deleted: number, late: number) => {
  const change = fc.record({ deleted: places(deleted), added: fc.nat({ max: 3 }), late: places(late) });
  // Most responses show no change: a read with many is thrown away for any of them.
  return fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(QUIET) }, change), { minLength: 6, maxLength: 14 });
};
const anyChanges = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Change[]>([]) },
  { weight: 3, arbitrary: changes(2, 0) },
  { weight: 2, arbitrary: changes(0, 3) },
);
/** Of the list, beyond it too. */
const part = fc.option(fc.double({ min: 0, max: 1.1, noNaN: true }), { nil: undefined });
const settings = fc
  .record({
    size: fc.oneof(
      fc.record({ count: fc.nat(700), pageSize: fc.constant(100) }),
      fc.record({ count: fc.nat(200), pageSize: fc.integer({ min: 10, max: 40 }) }),
    ),
    order: fc.constantFrom<Order[]>('asc', 'desc'),
    upTo: part,
    every: fc.constantFrom(1, 1, 1, 3),
    ages: fc.tuple(part, part),
    ties: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 8 })),
    isShuffled: fc.nat(20).map((one) => one === 0),
    seed: fc.nat(99),
  })
  .map(({ size, ...others }) => ({ ...size, ...others }));
type Setting = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;

const PLAIN = { order: 'asc', upTo: undefined, every: 1, ties: 1, isShuffled: false, seed: 1 } as const;
/** What random lists show once in thousands. */
const rare = (
  setting: Pick<Setting, 'count' | 'pageSize'> & Partial<Setting>,
  planned: Change[],
): [Setting, Change[]] => [{ ...PLAIN, ages: [undefined, undefined], ...setting }, planned];
const change = (what: Partial<Change>): Change => ({ ...QUIET, ...what });
const RARE = [
  // A new row comes where one is gone, so that the total is the same.
  rare({ count: 101, pageSize: 100 }, [QUIET, change({ deleted: [0], added: 1 })]),
  // The later row behind the range is pushed to a page that is not read.
  rare({ count: 75, pageSize: 38, ages: [undefined, 0.01] }, [QUIET, QUIET, change({ late: [0, 37, 0] })]),
  // Of rows of one time, page 2 repeats one in place of another.
  rare({ count: 173, pageSize: 100, upTo: 0.575, ties: 8, isShuffled: true }, []),
  // Rows turn up on a page before, between the responses of two pages that were sent in the other order.
  rare({ count: 492, pageSize: 100, order: 'desc' }, [QUIET, QUIET, change({ late: [0, 0] }), change({ late: [222] })]),
  // So many turn up on page 1 that one of them is pushed to page 2.
  rare({ count: 24, pageSize: 10 }, [QUIET, change({ late: [8, 0, 0] })]),
  // The same, newest first.
  rare({ count: 24, pageSize: 10, order: 'desc' }, [QUIET, change({ late: [14, 23, 23] })]),
  // So many are deleted that page 2 is empty.
  rare({ count: 150, pageSize: 100 }, [QUIET, change({ deleted: Array<number>(60).fill(0) })]),
  // A row that arrived in the second of the response is in its total, but does not count.
  rare({ count: 10, pageSize: 10 }, [change({ added: 1 })]),
  // Two later rows are deleted when they have been counted, so that the range begins on the page before.
  ...[1, 2, 3, 4].map((seed) =>
    rare({ count: 30, pageSize: 10, order: 'desc', ages: [undefined, 0.36], upTo: 0.1, seed }, [
      QUIET,
      change({ deleted: [29, 28] }),
    ]),
  ),
];

it(`returns every row that was there all the time, once and in order, or refuses (${LISTS} random lists)`, async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(settings, anyChanges, async ({ count, pageSize, order, upTo, every, ages, ...tied }, planned) => {
      const limit = upTo === undefined ? Infinity : Math.ceil(upTo * count) + 1;
      const list = new ChangingList(count, order, pageSize, tied.ties);
      const [old, young] = ages.map((age) => age && Math.ceil((age * count) / tied.ties));
      const after = old === undefined ? undefined : START - Math.max(old, young ?? 0) * SECOND;
      const before = young === undefined ? undefined : START - Math.min(old ?? young, young) * SECOND;
      // Late rows make up for those that another order hides.
      const isShuffled = tied.isShuffled && planned.every(({ late }) => late.length === 0);
      // So do new rows in a list that is not read to its end.
      const isCut = limit < Infinity && (isShuffled || planned.some(({ deleted }) => deleted.length > 0));
      const happening = isCut ? planned.map((change) => ({ ...change, added: 0 })) : planned;
      const random = numbersFrom(tied.seed);
      Object.assign(list, { changes: happening, isShuffled, bounds: { after, before }, random });
      const wanted = (row: Row) => Number(row.id.split('-')[1]) % every === 0;
      const atFirst = list.rows.filter((row) => isWithin(list.bounds, row) && wanted(row));
      let results: Row[];
      try {
        results = await readList(list.asList({ matches: every > 1 ? wanted : undefined, limit }), NO_WAIT);
      } catch (error) {
        expect(String(error)).toMatch(/cannot be read completely/);
        if (!isShuffled) refused++;
        return;
      }
      expect(new Set(idsOf(results)).size).toBe(results.length);
      expect(results.length).toBeLessThanOrEqual(limit);
      expect(results.filter((row) => !isWithin(list.bounds, row))).toEqual([]);
      const times = results.map(({ createdMs }) => createdMs);
      expect(times).toEqual(times.toSorted((a, b) => (order === 'asc' ? a - b : b - a)));
      const [now, found] = [new Set(list.rows), new Set(idsOf(results))];
      const lastMs = times.at(-1) ?? NaN;
      const mayBeBehind = ({ createdMs }: Row) =>
        results.length === limit && (order === 'asc' ? createdMs >= lastMs : createdMs <= lastMs);
      expect(atFirst.filter((row) => now.has(row) && !found.has(row.id) && !mayBeBehind(row))).toEqual([]);
    }),
    { numRuns: LISTS, examples: RARE },
  );
  expect(refused).toBeLessThan(LISTS / (LISTS >= 10_000 ? 100 : 50));
}, 300_000);

const TOO_LONG = 'The list is too long for one input item: 120001 results';
const ADVICE = expect.stringMatching(/filters.*limit.*by its ID/) as string;

it.each<[what: string, total: number, wish: Partial<List<Row>>, outcome: object]>([
  ['more than n8n can take are refused after one page', 120_001, {}, { message: TOO_LONG, description: ADVICE }],
  ['just enough are read', 120_000, {}, { message: 'Read on' }],
  ['those that a filter may leave are read', 120_001, { matches: () => true }, { message: 'Read on' }],
  ['those that are wanted are read', 120_001, { limit: 150 }, { message: 'Read on' }],
  ['those before an upper bound are read', 120_001, { before: START - 150 * SECOND }, { length: 50 }],
])('of a list with too many rows, %s', async (_what, total, wish, outcome) => {
  const list = new ChangingList(200, 'asc', 100);
  const request: List<Row>['request'] = async (query, parse) => {
    if (query['page'] === 2) throw new Error('Read on');
    const later = query['submitted_after'] === undefined ? 0 : 50;
    return { ...parse(await list.respond(query)), total: total - later };
  };
  const reading = readList(list.asList({ request, ...wish }), NO_WAIT);
  expect(await reading.catch((thrown: unknown) => thrown)).toMatchObject(outcome);
});

it.each<[Order, requests: number]>([
  ['asc', 22],
  ['desc', 24],
])('reads 2,000 of 5,000 rows with few requests, order %s', async (order, requests) => {
  const list = new ChangingList(5_000, order, 100);
  list.bounds = { after: START - 3_500 * SECOND, before: START - 1_500 * SECOND };
  expect(await readList(list.asList(), NO_WAIT)).toHaveLength(2_000);
  expect(list.responses).toBeLessThanOrEqual(requests);
});
