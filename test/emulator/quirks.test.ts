import { createClock, startEmulator, type Emulator, type Quirks } from '../../emulator/index.ts';
import { idsOf, range, send } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const FIRST = Date.parse('2026-02-09T05:00:00Z');
const SUBMISSIONS = '/v2/forms/form/submissions';
const AFTER = '?submitted_after=2026-02-09T05:00:30.5Z';
const ROWS = range(120).map((number) => `row ${number}`);
let emulator: Emulator;

beforeEach(async () => {
  const submissions = ROWS.map((id, number) => ({ id, createdAt: FIRST + number * 1000 }));
  const seed = { forms: [{ id: 'form', title: 'x', submissions }] };
  emulator = await startEmulator({ clock: createClock(NOW), seed });
});
afterEach(() => emulator.close());

const list = async (query = ''): Promise<string[]> => idsOf((await send(emulator, 'GET', SUBMISSIONS + query)).data);
const count = async (): Promise<unknown> => (await send(emulator, 'GET', '/v2/forms/form')).data.submissions_count;

it.each<[Partial<Quirks>, string, string[]]>([
  [{ ignorePage: true }, '?page=3&page_size=10', ROWS.slice(0, 10)],
  [{ ignorePaging: true }, '?page=3&page_size=10', ROWS],
  [{ ignorePageSize: true }, '?page=2&page_size=100', ROWS.slice(30, 60)],
  [{ pageSizeCap: 50 }, '?page=2&page_size=100', ROWS.slice(50, 100)],
  [{ ignoreSubmittedAfter: true }, '?submitted_after=never', ROWS],
  [{ ignoreOrder: 'asc' }, '?order=desc', ROWS],
  [{ ignoreOrder: 'desc' }, '?order=asc', ROWS.toReversed()],
  [{ roundSubmittedAfter: { to: 'second', direction: 'down' } }, AFTER, ROWS.slice(30)],
  [{ roundSubmittedAfter: { to: 'second', direction: 'up' } }, AFTER, ROWS.slice(31)],
  [{ roundSubmittedAfter: { to: 'minute', direction: 'down' } }, AFTER, ROWS],
])('%j changes the rows of %s', async (quirks, query, rows) => {
  Object.assign(emulator.quirks, quirks);
  expect(await list(query)).toEqual(rows);
});

it.each<[Partial<Quirks>, string, Array<number | undefined>]>([
  [{}, `${SUBMISSIONS}?page=2&page_size=100`, [120, 120, 2]],
  [{ countsPageOnly: true }, `${SUBMISSIONS}?page=2&page_size=100`, [20, 20, undefined]],
  [{ noPagination: true }, `${SUBMISSIONS}?page=2`, [undefined, undefined, undefined]],
  [{ noPagination: true }, '/v1/team_members?page_number=1', [undefined, undefined, undefined]],
])('%j: the totals of %s are %j', async (quirks, path, totals) => {
  Object.assign(emulator.quirks, quirks);
  const { total_count, pagination } = (await send(emulator, 'GET', path)).data;
  expect([total_count, pagination?.total_records, pagination?.total_pages]).toEqual(totals);
});

it.each<[Partial<Quirks>, string | undefined]>([
  [{}, 'Mon, 09 Feb 2026 06:00:00 GMT'],
  [{ dateSkewMs: 300_000 }, 'Mon, 09 Feb 2026 06:05:00 GMT'],
  [{ noDateHeader: true }, undefined],
])('%j: every response has the Date %s', async (quirks, date) => {
  Object.assign(emulator.quirks, quirks);
  for (const path of ['/v2/forms', '/v2/forms/unknown'])
    expect((await send(emulator, 'GET', path)).headers['date']).toBe(date);
});

it('ignoreStatus lists every form', async () => {
  emulator.quirks.ignoreStatus = true;
  expect(idsOf((await send(emulator, 'GET', '/v2/forms?status=archived')).data)).toEqual(['form']);
});

it('countLagMs shows the submissions_count of so long ago', async () => {
  const { workspace, clock, quirks } = emulator;
  quirks.countLagMs = 60_000;
  const counts = [await count()];
  clock.advance(60_000);
  counts.push(await count());
  workspace.addSubmission('form', { visibleAt: clock.now() + 30_000 });
  for (const id of ['row 0', 'row 1']) workspace.log('form').delete(id);
  for (const ms of [59_999, 1, 30_000]) {
    clock.advance(ms);
    counts.push(await count());
  }
  workspace.log('form').restore('row 0');
  counts.push(await count());
  quirks.countLagMs = 0;
  counts.push(await count());
  expect(counts).toEqual([0, 120, 120, 118, 119, 119, 120]);
});

it('fixedCounts sets the submissions_count of a form, until the emulator is reset', async () => {
  emulator.quirks.fixedCounts['form'] = 7;
  expect(await count()).toBe(7);
  emulator.reset();
  expect(await count()).toBe(120);
});

it('randomTieOrder gives rows of equal time another order each time: none is lost, and some change pages', async () => {
  const tied = range(50).map(() => emulator.workspace.addSubmission('form', { createdAt: FIRST - 1 }).id);
  emulator.quirks.randomTieOrder = true;
  const [once, twice] = [await list(), await list()];
  expect(once.slice(0, 50)).not.toEqual(twice.slice(0, 50));
  for (const rows of [once, twice]) {
    expect(rows.slice(0, 50).sort()).toEqual(tied.toSorted());
    expect(rows.slice(50)).toEqual(ROWS);
  }
  const pages = [await list('?page=1&page_size=25'), await list('?page=2&page_size=25')];
  expect(new Set(pages.flat()).size).toBeLessThan(50);
});
