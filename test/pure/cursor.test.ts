import type { Submission } from '../../nodes/NeetoForm/api/parse';
import { maxKnownOf, shares } from '../../nodes/NeetoForm/polling/shares';
import { isNew, nextCursor, oldestFirst, WINDOW_MS, type Cursor } from '../../nodes/NeetoForm/watching/cursor';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOON = Date.UTC(2026, 2, 2, 12);

const byId = (rows: Submission[]) => new Map(rows.map((each) => [each.id, each]));
const row = (id: string, createdMs: number): Submission => ({ id, createdMs, data: {} });
const cursorAt = (from: number, recent = from, known: Cursor['known'] = {}): Cursor => ({ from, recent, known });

type Poll = Partial<Record<'now' | 'until' | 'quota' | 'maxKnown', number>>;

/** The cursor after a poll that emits the first of these rows, all unless told otherwise. */
function after(
  cursor: Cursor,
  rows: Submission[],
  { now, until = Infinity, quota = 100, maxKnown = 2_000 }: Poll,
): Cursor {
  const read = { rows: byId(rows.filter((each) => isNew(cursor, each))), until, now, isWindowSeen: true };
  return nextCursor(cursor, read, oldestFirst(read.rows).slice(0, quota), maxKnown);
}

it('a submission is new when it is in the window and not known', () => {
  const cursor = cursorAt(NOON, NOON, { known: NOON + 1 });
  const rows = [row('new', NOON), row('known', NOON + 1), row('old', NOON - 1)];
  expect(rows.map((each) => isNew(cursor, each))).toEqual([true, false, false]);
});

describe('the next quick look begins', () => {
  const rows = [row('b', NOON + 1), row('c', NOON + 2), row('a', NOON)];

  it.each<[where: string, poll: Poll, recent: number]>([
    ["15 minutes before the service's time", { now: NOON + MINUTE }, NOON - 14 * MINUTE],
    ['at the first submission that waits', { now: NOON + MINUTE, quota: 1 }, NOON + 1],
    ['where the reading stopped', { now: NOON + MINUTE, until: NOON + 2 }, NOON + 2],
    ['at what waits when the reading stopped later', { now: NOON + MINUTE, until: NOON + 2, quota: 1 }, NOON + 1],
    ["at the service's time when what waits is dated ahead", { now: NOON, quota: 1 }, NOON],
    ['15 minutes before the newest submission when the service tells no time', {}, NOON + 2 - 15 * MINUTE],
  ])('%s', (_, poll, recent) => {
    expect(after(cursorAt(NOON - DAY), rows, poll).recent).toBe(recent);
  });

  it('15 minutes ago again when the rest of a reading that stopped has no news', () => {
    const stopped = cursorAt(NOON - DAY, NOON, { a: NOON });
    expect(after(stopped, [], { now: NOON + MINUTE }).recent).toBe(NOON - 14 * MINUTE);
  });
});

describe('the window', () => {
  it('reaches back a week, whatever is dated ahead', () => {
    expect(after(cursorAt(0), [row('a', NOON)], { now: NOON + DAY }).from).toBe(NOON + DAY - WINDOW_MS);
    expect(after(cursorAt(0), [row('a', NOON + 30 * DAY)], { now: NOON }).from).toBe(NOON - WINDOW_MS);
  });

  it('keeps the second of the oldest submission that was just found, however old it is', () => {
    const rows = [row('a', NOON + 500), row('b', NOON + 1_500)];
    expect(after(cursorAt(0), rows, { now: NOON + 30 * DAY }).from).toBe(NOON);
  });

  it('keeps what no look has shown, however old it is', () => {
    const read = { rows: byId([]), until: Infinity, now: NOON + 30 * DAY, isWindowSeen: false };
    expect(nextCursor(cursorAt(0, NOON, { a: NOON }), read, [], 2_000).from).toBe(0);
  });

  it('stays open when the service tells no time, and never goes back', () => {
    expect(after(cursorAt(0), [row('a', NOON + 30 * DAY)], {}).from).toBe(0);
    expect(after(cursorAt(NOON), [row('a', NOON)], { now: NOON - 30 * DAY }).from).toBe(NOON);
  });

  it('holds a number of submissions, and begins behind the second of the first that it cannot hold', () => {
    const rows = [row('a', NOON), row('b', NOON + 1), row('c', NOON + 2), row('d', NOON + 1_000)];
    const { from, known } = after(cursorAt(0), rows, { now: NOON + MINUTE, maxKnown: 2 });
    expect([from, Object.keys(known)]).toEqual([NOON + 1_000, ['d']]);
  });

  it('holds twice as many until all of it was seen, for late finishers among them', () => {
    const rows = [0, 1, 2, 3, 4].map((nth) => row(String(nth), NOON + nth * 1_000));
    const read = { rows: byId(rows), until: Infinity, now: NOON + MINUTE, isWindowSeen: false };
    expect(nextCursor(cursorAt(0), read, rows.slice(1), 2).from).toBe(0);
    expect(nextCursor(cursorAt(0), read, rows, 2).from).toBe(NOON + 1_000);
  });

  it('is not closed by submissions dated ahead', () => {
    const ahead = [row('a', NOON + DAY), row('b', NOON + 2 * DAY), row('c', NOON + 3 * DAY)];
    expect(after(cursorAt(0), ahead, { now: NOON, maxKnown: 1 }).from).toBe(NOON);
  });

  it('leaves nothing behind that waits', () => {
    const rows = [row('a', NOON), row('b', NOON + 1), row('c', NOON + 10 * DAY)];
    expect(after(cursorAt(0), rows, { now: NOON + 10 * DAY, quota: 1, maxKnown: 2 }).from).toBe(NOON);
  });
});

it('is another cursor when the window has left something behind, or the reading stopped', () => {
  const old = cursorAt(NOON - DAY, NOON, { a: NOON - 1 });
  expect(after(old, [], { now: NOON + 10 * DAY }).known).toEqual({});
  expect(after(old, [], { now: NOON + DAY, until: NOON + MINUTE }).recent).toBe(NOON + MINUTE);
});

it('is the same cursor when nothing was emitted and no known submission is left behind, so that nothing is stored', () => {
  const cursor = cursorAt(NOON - DAY, NOON, { a: NOON - 1 });
  expect(after(cursor, [], { now: NOON + DAY })).toBe(cursor);
  const shownAgain = cursorAt(NOON - DAY, NOON, { a: NOON - 1, b: NOON });
  expect(after(shownAgain, [], { now: NOON + DAY }).recent).toBe(NOON + DAY - 15 * MINUTE);
  const notLeftBehind = cursorAt(NOON - DAY, NOON, { a: NOON + MINUTE });
  expect(after(notLeftBehind, [], { now: NOON + 16 * MINUTE })).toBe(notLeftBehind);
});

/** How many submissions each of so many forms has. */
const formsWith = (each: number, forms: number) => Array<number>(forms).fill(each);

it.each<[what: string, counts: number[], most: number]>([
  ['all that one may have, when all have room', [10, 10], 2_000],
  ['all that one may have, when all together have just as many as they may', formsWith(100, 200), 2_000],
  [
    'what is left by those that have few, when all together have too many',
    [...formsWith(1_750, 11), ...formsWith(10, 89)],
    1_738,
  ],
  ['an even share of many', formsWith(150, 200), 100],
  ['20 in any case', formsWith(30, 4_000), 20],
])('a form may have %s', (_, counts, most) => {
  expect(maxKnownOf(counts)).toBe(most);
});

it.each<[total: number, needs: number[], given: number[]]>([
  [10, [1, 9, 9], [1, 5, 4]],
  [20, [9, 3, 9, 4], [7, 3, 6, 4]],
  [5, [6, 1, 1, 1], [2, 1, 1, 1]],
  [3, [9, 9, 9, 9], [1, 1, 1, 0]],
  [1, [Infinity, Infinity], [1, 0]],
  [10, [2, 0, 3], [2, 0, 3]],
  [0, [1], [0]],
  [7, [], []],
])('shares divide %i among %j as %j', (total, needs, given) => {
  const parties = needs.map((need) => ({ need }));
  const shared = shares(total, parties, ({ need }) => need);
  expect(parties.map((party) => shared.get(party))).toEqual(given);
});
