import { createClock, startEmulator, type Emulator, type Quirks } from '../../../emulator/index.ts';
import { idsOf, range, send } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const FIRST = Date.parse('2026-02-09T05:00:00Z');
const ROWS = range(120).map((number) => `row ${number}`);
const SUBMISSIONS = '/v2/forms/form/submissions';
/** Of a form without any at first. */
const OTHERS = '/v2/forms/other/submissions';
const AFTER = `${SUBMISSIONS}?submitted_after=2026-02-09T05:00:30.5Z`;
let emulator: Emulator;

beforeEach(async () => {
  const submissions = ROWS.map((id, number) => ({ id, createdAt: FIRST + number * 1000 }));
  const forms = [
    { id: 'form', title: 'x', createdAt: 2, submissions },
    { id: 'other', title: 'x', createdAt: 1, isArchived: true },
    { id: 'liked', title: 'x', createdAt: 2, isFavorite: true },
  ];
  const members = [
    { id: 'ada', email: 'ada@example.com' },
    { id: 'gone', email: 'm1@example.com', active: false },
  ];
  emulator = await startEmulator({ clock: createClock(NOW), seed: { forms, members } });
});
afterEach(() => emulator.close());

const list = async (path: string) => (await send(emulator, 'GET', path)).data;
const listed = async (path: string) => idsOf(await list(path));
const count = async () => (await list('/v2/forms/form')).submissions_count;

it.each<[Partial<Quirks>, path: string, ids: string[]]>([
  [{}, '/v2/forms', ['other', 'form', 'liked']],
  [{}, '/v2/forms?order=desc&page=1&page_size=2', ['liked', 'form']],
  [{}, '/v2/forms?status=active', ['form', 'liked']],
  [{}, '/v2/forms?status=archived', ['other']],
  [{}, '/v2/forms?status=favorite', ['liked']],
  [{}, '/v2/forms?status=ACTIVE', ['other', 'form', 'liked']],
  [{ ignoreStatus: true }, '/v2/forms?status=archived', ['other', 'form', 'liked']],
  [{}, '/v2/team-members?email=M1@example.com', ['gone']],
  [{}, '/v2/team-members?email=m1', []],
  [{ ignoreEmail: true }, '/v2/team-members?email=m1@example.com', ['ada', 'gone']],
  [{}, SUBMISSIONS, ROWS],
  [{}, `${SUBMISSIONS}?order=desc&page=2&page_size=2`, ['row 117', 'row 116']],
  [{ ignoreOrder: 'asc' }, `${SUBMISSIONS}?order=desc`, ROWS],
  [{ ignoreOrder: 'desc' }, `${SUBMISSIONS}?order=asc`, ROWS.toReversed()],
  [{ ignorePage: true }, `${SUBMISSIONS}?page=3&page_size=10`, ROWS.slice(0, 10)],
  [{ ignorePaging: true }, `${SUBMISSIONS}?page=3&page_size=10`, ROWS],
  [{ ignorePageSize: true }, `${SUBMISSIONS}?page=2&page_size=100`, ROWS.slice(30, 60)],
  [{ pageSizeCap: 50 }, `${SUBMISSIONS}?page=2&page_size=100`, ROWS.slice(50, 100)],
  [{ ignoreSubmittedAfter: true }, `${SUBMISSIONS}?submitted_after=never`, ROWS],
  [{}, AFTER, ROWS.slice(31)],
  [{ roundSubmittedAfter: { to: 'second', direction: 'down' } }, AFTER, ROWS.slice(30)],
  [{ roundSubmittedAfter: { to: 'second', direction: 'up' } }, AFTER, ROWS.slice(31)],
  [{ roundSubmittedAfter: { to: 'minute', direction: 'down' } }, AFTER, ROWS],
])('with the quirks %j %s lists %j', async (quirks, path, ids) => {
  Object.assign(emulator.quirks, quirks);
  expect(await listed(path)).toEqual(ids);
});

it.each<[Partial<Quirks>, path: string, totals: Array<number | undefined>]>([
  [{}, `${SUBMISSIONS}?page=2&page_size=100`, [120, 120, 2]],
  [{}, AFTER, [89, 89, 1]],
  [{ countsPageOnly: true }, `${SUBMISSIONS}?page=2&page_size=100`, [20, 20, 1]],
  [{ noPagination: true }, `${SUBMISSIONS}?page=2`, [undefined, undefined, undefined]],
  [{ noPagination: true }, '/v1/team_members?page_number=1', [undefined, undefined, undefined]],
])('with the quirks %j the totals of %s are %j', async (quirks, path, totals) => {
  Object.assign(emulator.quirks, quirks);
  const { total_count, pagination } = await list(path);
  expect([total_count, pagination?.total_records, pagination?.total_pages]).toEqual(totals);
});

it.each<[Partial<Quirks>, date: string | undefined]>([
  [{}, 'Mon, 09 Feb 2026 06:00:00 GMT'],
  [{ dateSkewMs: 300_000 }, 'Mon, 09 Feb 2026 06:05:00 GMT'],
  [{ noDateHeader: true }, undefined],
])('with the quirks %j every response has the Date %s', async (quirks, date) => {
  Object.assign(emulator.quirks, quirks);
  for (const path of ['/v2/forms', '/v2/forms/unknown'])
    expect((await send(emulator, 'GET', path)).headers['date']).toBe(date);
});

it.each([
  '2026-02-09',
  '2026-02-09T00:00:00Z',
  '2026-02-09T00:00',
  '2026-02-09T05:30:00%2B05:30',
  '2026-02-08T19:00:00-05:00',
])('submitted_after=%s includes what was created at that very moment, shown as it was written', async (value) => {
  const times = ['2026-02-08T23:59:59.999Z', '2026-02-09T05:30:00+05:30', '2026-02-09T00:00:00.001Z'];
  for (const createdAt of times) emulator.workspace.addSubmission('other', { createdAt });
  const { submissions } = await list(`${OTHERS}?submitted_after=${value}`);
  expect(submissions?.map(({ created_at }) => created_at)).toEqual(times.slice(1));
});

it.each(['yesterday', '', '2026-02-30', '2026-02-09T25:00Z', '2026-02-09T05:30:00+05:30'])(
  'submitted_after=%s is refused with the documented message',
  async (value) => {
    const data = { error: 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.' };
    const refused = await send(emulator, 'GET', `${OTHERS}?submitted_after=${value}`);
    expect(refused).toMatchObject({ status: 422, data });
  },
);

it('microseconds order the rows, filter them and are not shown; desc is the exact reverse, ties included', async () => {
  const createdAt = Date.parse('2026-02-09T05:20:59.464Z');
  for (const [id, micros] of Object.entries({ last: 999, first: 123, tied: 500, second: 500 }))
    emulator.workspace.addSubmission('other', { id, createdAt, micros });
  const { submissions = [] } = await list(OTHERS);
  expect(submissions.map(({ id }) => id)).toEqual(['first', 'tied', 'second', 'last']);
  expect(submissions.map(({ created_at }) => created_at)).toEqual(Array(4).fill('2026-02-09T05:20:59.464Z'));
  expect(await listed(`${OTHERS}?order=desc`)).toEqual(['last', 'second', 'tied', 'first']);
  expect(await listed(`${OTHERS}?submitted_after=2026-02-09T05:20:59.4645Z`)).toEqual(['tied', 'second', 'last']);
});

it('countLagMs shows the submissions_count of so long ago, fixedCounts any, until the emulator is reset', async () => {
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
  quirks.fixedCounts['form'] = 7;
  counts.push(await count());
  emulator.reset();
  counts.push(await count());
  expect(counts).toEqual([0, 120, 120, 118, 119, 119, 7, 120]);
});

it('randomTieOrder gives rows of equal time another order each time: none is lost, and some change pages', async () => {
  const tied = range(50).map(() => emulator.workspace.addSubmission('form', { createdAt: FIRST - 1 }).id);
  emulator.quirks.randomTieOrder = true;
  const [once, twice] = [await listed(SUBMISSIONS), await listed(SUBMISSIONS)];
  expect(once.slice(0, 50)).not.toEqual(twice.slice(0, 50));
  for (const rows of [once, twice]) {
    expect(rows.slice(0, 50).sort()).toEqual(tied.toSorted());
    expect(rows.slice(50)).toEqual(ROWS);
  }
  const pages = [1, 2].map(async (page) => await listed(`${SUBMISSIONS}?page=${page}&page_size=25`));
  expect(new Set((await Promise.all(pages)).flat()).size).toBeLessThan(50);
});
