import fc from 'fast-check';

import { systemClock } from '../../nodes/NeetoForm/api/clock';
import type { Row, Submission } from '../../nodes/NeetoForm/api/parse';
import type { List } from '../../nodes/NeetoForm/lists/list';
import { readList } from '../../nodes/NeetoForm/lists/readList';
import { pageOf, pagesFrom } from './pagedList';

/** Random lists to read: `LISTS=20000 npx jest test/pure/readList.test.ts` tries as many as the promise names. */
const LISTS = Number(process.env['LISTS'] ?? 400);

const NO_WAIT = { ...systemClock, sleep: async () => await Promise.resolve() };

const START = Date.parse('2026-02-09T08:00:00Z');
const SECOND = 1_000;

type Order = 'asc' | 'desc';

const rowAt = (createdMs: number, id: string): Submission => ({ id, createdMs, data: {} });
/** So many rows, of which so many have the same creation time. */
const rowsTied = (count: number, ties: number) =>
  Array.from({ length: count }, (_, index) =>
    rowAt(START - Math.ceil((count - index) / ties) * SECOND, `old-${index}`),
  );
const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

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

/** A service that changes while a list is read. */
interface Behavior {
  pageSize: number;
  changes: Change[];
  /** Whether rows of one creation time come in another order each time. */
  isShuffled: boolean;
  /** In which order requests arrive, and rows of one creation time come. */
  random: () => number;
}

/** Requests pages of these rows, which change before each response. */
function changingList(rows: Submission[], { pageSize, changes, isShuffled, random }: Behavior) {
  let now = START + 400;
  let added = 0;
  let responses = 0;

  // Requests that are sent together arrive in any order.
  const pass = async () => {
    for (let ticks = Math.floor(random() * 20); ticks > 0; ticks--) await Promise.resolve();
  };

  const change = ({ deleted, added: more, late }: Change) => {
    for (const place of deleted) rows.splice(place % Math.max(1, rows.length), 1);
    for (let count = more; count > 0; count--) rows.push(rowAt(now, `new-${added++}`));
    for (const place of late) {
      const createdMs = (rows[place % Math.max(1, rows.length)]?.createdMs ?? START) + 1;
      rows.push(rowAt(createdMs, `late-${added++}`));
    }
    now += 137;
  };

  const sorted = () => {
    const ranks = new Map(rows.map((row) => [row, isShuffled ? random() : 0]));
    const rankOf = (row: Submission) => ranks.get(row) ?? 0;
    return rows.toSorted((a, b) => a.createdMs - b.createdMs || rankOf(a) - rankOf(b));
  };

  return pagesFrom(async (asked) => {
    await pass();
    change(changes[responses++] ?? QUIET);
    const { rows: shown, total } = pageOf(sorted(), { ...asked, pageSize });
    const serverTime = Math.floor(now / SECOND) * SECOND;
    await pass();
    return { rows: shown, pagination: { total_records: total }, serverTime };
  });
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
      const [old, young] = ages.map((age) => age && Math.ceil((age * count) / tied.ties));
      const after = old === undefined ? undefined : START - Math.max(old, young ?? 0) * SECOND;
      const before = young === undefined ? undefined : START - Math.min(old ?? young, young) * SECOND;
      // Late rows make up for those that another order hides.
      const isShuffled = tied.isShuffled && planned.every(({ late }) => late.length === 0);
      // So do new rows in a list that is not read to its end.
      const isCut = limit < Infinity && (isShuffled || planned.some(({ deleted }) => deleted.length > 0));
      const happening = isCut ? planned.map((change) => ({ ...change, added: 0 })) : planned;
      const rows = rowsTied(count, tied.ties);
      const random = numbersFrom(tied.seed);
      const isWithin = ({ createdMs }: Submission) =>
        createdMs >= (after ?? -Infinity) && createdMs < (before ?? Infinity);
      const wanted = (row: Row) => Number(row.id.split('-')[1]) % every === 0;
      const atFirst = rows.filter((row) => isWithin(row) && wanted(row));
      const list: List<Submission> = {
        key: 'submissions',
        order,
        after,
        before,
        limit,
        matches: every > 1 ? wanted : undefined,
        readPage: changingList(rows, { pageSize, changes: happening, isShuffled, random }),
        resultOf: ({ createdMs = NaN, ...row }) => ({ ...row, createdMs }),
      };
      let results: Submission[];
      try {
        results = await readList(list, NO_WAIT);
      } catch (error) {
        expect(String(error)).toMatch(/cannot be read completely/);
        if (!isShuffled) refused++;
        return;
      }
      expect(new Set(idsOf(results)).size).toBe(results.length);
      expect(results.length).toBeLessThanOrEqual(limit);
      expect(results.filter((row) => !isWithin(row))).toEqual([]);
      const times = results.map(({ createdMs }) => createdMs);
      expect(times).toEqual(times.toSorted((a, b) => (order === 'asc' ? a - b : b - a)));
      const [now, found] = [new Set(rows), new Set(idsOf(results))];
      const lastMs = times.at(-1) ?? NaN;
      const mayBeBehind = ({ createdMs }: Submission) =>
        results.length === limit && (order === 'asc' ? createdMs >= lastMs : createdMs <= lastMs);
      expect(atFirst.filter((row) => now.has(row) && !found.has(row.id) && !mayBeBehind(row))).toEqual([]);
    }),
    { numRuns: LISTS, examples: RARE },
  );
  expect(refused).toBeLessThan(LISTS / (LISTS >= 10_000 ? 100 : 50));
}, 300_000);
