import fc from 'fast-check';
import type { Row } from '../../nodes/NeetoForm/api/parse';
import { isNew, maxKnownOf, nextBatch, shares, WINDOW_MS, type Cursor } from '../../nodes/NeetoForm/polling/batch';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Monday, 12:00. */
const NOON = Date.UTC(2026, 2, 2, 12);

const byId = (rows: Row[]) => new Map(rows.map((each) => [each.id, each]));
const row = (id: string, createdMs: number): Row => ({ id, createdMs, data: {} });
const cursorAt = (from: number, recent = from, known: Array<[id: string, createdMs: number]> = []): Cursor => ({
  from,
  recent,
  look: from,
  known: new Map(known),
});
const limits = { quota: 100, maxKnown: 2_000, now: NOON + 365 * DAY };
const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

it('emits what is not known, oldest first, each once, and nothing from before the window', () => {
  const rows = [row('late', NOON - DAY), row('c', NOON), row('a', NOON - 2), row('c', NOON), row('b', NOON - 1)];
  const cursor = cursorAt(NOON - DAY, NOON - 5, [['b', NOON - 1]]);
  const { emit, hasMore } = nextBatch(
    cursor,
    { rows: byId([...rows, row('old', NOON - DAY - 1)]), until: Infinity },
    limits,
  );
  expect([idsOf(emit), hasMore]).toEqual([['late', 'a', 'c'], false]);
});

describe('the next quick look begins', () => {
  const read = {
    rows: byId([row('a', NOON), row('b', NOON + 1), row('c', NOON + 2)]),
    until: Infinity,
    serverTime: NOON + MINUTE,
  };
  const recentAfter = (more: object, quota = 100) =>
    nextBatch(cursorAt(NOON - DAY), { ...read, ...more }, { ...limits, quota }).cursor.recent;

  it.each<[where: string, more: object, quota: number, recent: number]>([
    ["15 minutes before the service's time", {}, 100, NOON - 14 * MINUTE],
    ['at the first submission that waits', {}, 1, NOON + 1],
    ['where the reading stopped', { until: NOON + 2 }, 100, NOON + 2],
    ['at what waits when the reading stopped later', { until: NOON + 2 }, 1, NOON + 1],
    ["at the service's time when what waits is dated ahead", { serverTime: NOON }, 1, NOON],
    [
      '15 minutes before the newest submission when the service tells no time',
      { serverTime: undefined },
      100,
      NOON + 2 - 15 * MINUTE,
    ],
  ])('%s', (_, more, quota, recent) => {
    expect(recentAfter(more, quota)).toBe(recent);
  });

  it('never before the window', () => {
    const late = nextBatch(cursorAt(NOON), { rows: byId([row('a', NOON)]), until: Infinity, serverTime: NOON }, limits);
    expect(late.cursor.recent).toBe(NOON);
  });
});

describe('the window', () => {
  const after = (rows: Row[], serverTime: number | undefined, { quota = 100, maxKnown = 2_000, from = 0 } = {}) =>
    nextBatch(cursorAt(from), { rows: byId(rows), until: Infinity, serverTime }, { ...limits, quota, maxKnown }).cursor;

  it('reaches back a week, whatever is dated ahead', () => {
    expect(after([row('a', NOON)], NOON + DAY).from).toBe(NOON + DAY - WINDOW_MS);
    expect(after([row('a', NOON + 30 * DAY)], NOON).from).toBe(NOON - WINDOW_MS);
  });

  it('stays open when the service tells no time, and never goes back', () => {
    expect(after([row('a', NOON + 30 * DAY)], undefined).from).toBe(0);
    expect(after([row('a', NOON)], NOON - 30 * DAY, { from: NOON }).from).toBe(NOON);
  });

  it('holds a number of submissions, and begins behind the second of the first that it cannot hold', () => {
    const rows = [row('a', NOON), row('b', NOON + 1), row('c', NOON + 2), row('d', NOON + 1_000)];
    const { from, known } = after(rows, NOON + MINUTE, { maxKnown: 2 });
    expect([from, [...known.keys()]]).toEqual([NOON + 1_000, ['d']]);
  });

  it('is not closed by a service whose clock is ahead of all others, or by submissions dated ahead', () => {
    const read = { rows: byId([row('a', NOON)]), until: Infinity, serverTime: NOON + 30 * DAY };
    expect(nextBatch(cursorAt(0), read, { ...limits, now: NOON }).cursor.from).toBe(NOON - WINDOW_MS);
    const ahead = [row('a', NOON + DAY), row('b', NOON + 2 * DAY), row('c', NOON + 3 * DAY)];
    expect(after(ahead, NOON, { maxKnown: 1 }).from).toBe(NOON);
  });

  it('is looked at from where the last look ended, and from its start again when it was seen to its end', () => {
    const lookAfter = (lookedTo?: number) =>
      nextBatch(cursorAt(NOON - DAY, NOON), { rows: byId([]), until: Infinity, lookedTo, serverTime: NOON }, limits)
        .cursor.look;
    expect([lookAfter(), lookAfter(NOON - 5), lookAfter(Infinity)]).toEqual([NOON - DAY, NOON - 5, NOON - DAY]);
  });

  it('is left as it is by a quick look without news, so that nothing has to be stored', () => {
    const cursor = cursorAt(NOON - DAY, NOON, [['a', NOON]]);
    const read = { rows: byId([row('a', NOON)]), until: Infinity, serverTime: NOON + DAY };
    expect(nextBatch(cursor, read, limits).cursor).toBe(cursor);
  });

  it('is quickly looked at from 15 minutes ago again when the rest of a reading that stopped has no news', () => {
    const stopped = cursorAt(NOON - DAY, NOON, [['a', NOON]]);
    const read = { rows: byId([]), until: Infinity, serverTime: NOON + MINUTE };
    expect(nextBatch(stopped, read, limits).cursor.recent).toBe(NOON - 14 * MINUTE);
  });

  it('leaves nothing behind that waits', () => {
    const rows = [row('a', NOON), row('b', NOON + 1), row('c', NOON + 10 * DAY)];
    const { emit, cursor } = nextBatch(
      cursorAt(0),
      { rows: byId(rows), until: Infinity, serverTime: NOON + 10 * DAY },
      { ...limits, quota: 1, maxKnown: 2 },
    );
    expect([idsOf(emit), cursor.from]).toEqual([['a'], NOON + 1]);
  });
});

it('emits every submission once, however few fit into a poll and whatever waits', () => {
  const submission = fc.record({ createdMs: fc.nat(50), appearsIn: fc.nat(5) });
  const polls = fc.array(fc.record({ quota: fc.nat(6), until: fc.option(fc.nat(50)), hasTime: fc.boolean() }), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(fc.array(submission, { maxLength: 30 }), polls, (submissions, planned) => {
      const rows = submissions.map(({ createdMs }, index) => row(`${index}`, createdMs));
      let cursor = cursorAt(0);
      const emitted: string[] = [];
      const all = { quota: 100, until: null, hasTime: true };
      [...planned, all, all].forEach(({ quota, until, hasTime }, poll) => {
        const isVisible = (index: number) => poll > planned.length || (submissions[index]?.appearsIn ?? 0) <= poll;
        const shown = rows.filter((_, index) => isVisible(index));
        const end = Math.max(cursor.recent, until ?? Infinity);
        const read = {
          rows: byId(shown.filter(({ createdMs }) => createdMs <= end)),
          until: end,
          serverTime: hasTime ? 60 : undefined,
        };
        const batch = nextBatch(cursor, read, { ...limits, quota });
        expect(batch.cursor.from).toBeGreaterThanOrEqual(cursor.from);
        expect(batch.cursor.recent).toBeGreaterThanOrEqual(batch.cursor.from);
        emitted.push(...idsOf(batch.emit));
        cursor = batch.cursor;
      });
      expect(emitted.toSorted()).toEqual(idsOf(rows).toSorted());
    }),
  );
});

it('a submission is new when it is in the window and not known', () => {
  const cursor = cursorAt(NOON, NOON, [['known', NOON + 1]]);
  const rows = [row('new', NOON), row('known', NOON + 1), row('old', NOON - 1)];
  expect(rows.map((each) => isNew(cursor, each))).toEqual([true, false, false]);
});

it.each<[what: string, counts: number[], most: number]>([
  ['all that one may have, when all have room', [2_000, 10], 2_000],
  [
    'what is left by those that have few, when all together have too many',
    [...Array<number>(11).fill(1_750), ...Array<number>(89).fill(10)],
    1_738,
  ],
  ['an even share of many', Array<number>(200).fill(150), 100],
  ['20 in any case', Array<number>(4_000).fill(30), 20],
])('a form may have %s', (_, counts, most) => {
  expect(maxKnownOf(counts)).toBe(most);
});

describe('shares', () => {
  it.each<[total: number, needs: number[], given: number[]]>([
    [10, [1, 9, 9], [1, 5, 4]],
    [5, [6, 1, 1, 1], [2, 1, 1, 1]],
    [3, [9, 9, 9, 9], [1, 1, 1, 0]],
    [10, [2, 0, 3], [2, 0, 3]],
    [0, [1], [0]],
    [7, [], []],
  ])('divides %i among %j as %j', (total, needs, given) => {
    expect(shares(total, needs)).toEqual(given);
  });

  it('gives out all that is needed, and nobody with more to get has less than another, but for one', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.array(fc.nat(40), { maxLength: 10 }), (total, needs) => {
        const given = shares(total, needs);
        const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
        expect(sum(given)).toBe(Math.min(total, sum(needs)));
        const unmet = given.filter((each, index) => each < (needs[index] ?? 0));
        if (unmet.length > 0) expect(Math.max(...given) - Math.min(...unmet)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
