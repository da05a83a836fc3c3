import { createClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { ids, range, send } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const TIE = Date.parse('2026-02-09T05:00:00Z');
let emulator: Emulator;
let formId: string;
let made: string[];

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(NOW) });
  formId = emulator.workspace.addForm({ title: 'x' }).id;
  made = range(120).map((number) => emulator.workspace.addSubmission(formId, { createdAt: TIE + number * 1000 }).id);
});
afterEach(() => emulator.close());

const list = async (query: string): Promise<string[]> =>
  ids((await send(emulator, 'GET', `/v2/forms/${formId}/submissions${query}`)).data.submissions);

describe('quirks', () => {
  it('ignorePage: every page is the first', async () => {
    emulator.quirks.ignorePage = true;
    expect(await list('?page=3&page_size=10')).toEqual(made.slice(0, 10));
    for (const number of range(40)) emulator.workspace.addMember({ email: `m${number}@example.com` });
    const { data } = await send(emulator, 'GET', '/v2/team-members?page_number=2');
    expect(data.team_members[0]?.email).toBe('admin@example.com');
    expect(data.pagination?.current_page_number).toBe(1);
  });

  it('ignorePaging: every page is everything', async () => {
    emulator.quirks.ignorePaging = true;
    expect(await list('?page=3&page_size=10')).toEqual(made);
  });

  it('ignorePageSize: a page has 30 rows', async () => {
    emulator.quirks.ignorePageSize = true;
    expect(await list('?page=2&page_size=100')).toEqual(made.slice(30, 60));
  });

  it('pageSizeCap: a page never has more', async () => {
    emulator.quirks.pageSizeCap = 50;
    expect(await list('?page=2&page_size=100')).toEqual(made.slice(50, 100));
    expect(await list('?page=1&page_size=20')).toHaveLength(20);
  });

  it('ignoreSubmittedAfter: old rows come too, and a wrong date is no error', async () => {
    emulator.quirks.ignoreSubmittedAfter = true;
    expect(await list('?submitted_after=2027-01-01')).toEqual(made);
    expect(await list('?submitted_after=never')).toEqual(made);
  });

  it('ignoreOrder: rows come oldest first whatever is asked, or newest first when it says desc', async () => {
    emulator.quirks.ignoreOrder = true;
    expect(await list('?order=desc')).toEqual(made);
    expect(await list('?order=wrong')).toEqual(made);
    emulator.quirks.ignoreOrder = 'desc';
    expect(await list('?order=asc')).toEqual([...made].reverse());
  });

  it('noPagination: lists carry rows only', async () => {
    emulator.quirks.noPagination = true;
    const keys = async (path: string): Promise<string[]> => Object.keys((await send(emulator, 'GET', path)).data);
    expect(await keys('/v2/forms?page=1')).toEqual(['forms']);
    expect(await keys(`/v2/forms/${formId}/submissions?page=1`)).toEqual(['submissions']);
    expect(await keys('/v2/team-members?page_number=1')).toEqual(['team_members']);
    expect(await keys('/v1/team_members?page_number=1')).toEqual(['team_members']);
  });

  it.each([
    ['second', 'down', 30],
    ['second', 'up', 31],
    ['minute', 'down', 0],
    ['minute', 'up', 60],
  ] as const)(
    'roundSubmittedAfter to the %s, %s: 30.5 s after the first row starts at row %i',
    async (to, direction, first) => {
      emulator.quirks.roundSubmittedAfter = { to, direction };
      expect(await list('?submitted_after=2026-02-09T05:00:30.500Z')).toEqual(made.slice(first));
    },
  );

  it('noDateHeader: no answer has a Date', async () => {
    emulator.quirks.noDateHeader = true;
    for (const path of ['/v2/forms', '/v2/forms/unknown', '/v2/nothing']) {
      expect((await send(emulator, 'GET', path)).headers).not.toHaveProperty('date');
    }
  });

  it('dateSkewMs: the Date is so much ahead or behind', async () => {
    emulator.quirks.dateSkewMs = 300_000;
    expect((await send(emulator, 'GET', '/v2/forms')).headers['date']).toBe('Mon, 09 Feb 2026 06:05:00 GMT');
    emulator.quirks.dateSkewMs = -3_600_000;
    expect((await send(emulator, 'GET', '/v2/forms/unknown')).headers['date']).toBe('Mon, 09 Feb 2026 05:00:00 GMT');
  });

  it('ignoreStatus: every form is listed', async () => {
    emulator.workspace.addForm({ title: 'archived', isArchived: true });
    expect((await send(emulator, 'GET', '/v2/forms?status=active')).data.forms).toHaveLength(1);
    emulator.quirks.ignoreStatus = true;
    expect((await send(emulator, 'GET', '/v2/forms?status=active')).data.forms).toHaveLength(2);
  });

  const totals = async (path: string): Promise<unknown[]> => {
    const { data } = await send(emulator, 'GET', path);
    return [data.total_count, data.pagination?.total_records, data.pagination?.total_pages];
  };

  it('totalCounts: totals count the page only; totalOffset: they are too high or too low', async () => {
    const path = `/v2/forms/${formId}/submissions?page=2&page_size=100`;
    expect(await totals(path)).toEqual([120, 120, 2]);
    emulator.quirks.totalCounts = 'page';
    expect(await totals(path)).toEqual([20, 20, 1]);
    expect(await totals('/v1/team_members?page_number=2')).toEqual([0, undefined, undefined]);
    Object.assign(emulator.quirks, { totalCounts: 'all', totalOffset: -50 });
    expect(await totals(path)).toEqual([70, 70, 1]);
    expect(await totals('/v2/team-members?page_number=1')).toEqual([undefined, 0, 0]);
  });

  it('totalPages: absent, or always the same', async () => {
    const path = `/v2/forms/${formId}/submissions?page=2&page_size=100`;
    emulator.quirks.totalPages = 'absent';
    expect(await totals(path)).toEqual([120, 120, undefined]);
    emulator.quirks.totalPages = 9;
    expect(await totals(path)).toEqual([120, 120, 9]);
  });

  const count = async (): Promise<number> =>
    (await send(emulator, 'GET', `/v2/forms/${formId}`)).data.submissions_count;

  it('countLagMs: submissions_count is what it was so long ago', async () => {
    const { workspace, clock, quirks } = emulator;
    quirks.countLagMs = 60_000;
    expect(await count()).toBe(0);
    clock.advance(60_000);
    expect(await count()).toBe(120);
    workspace.addSubmission(formId, { visibleAt: clock.now() + 30_000 });
    workspace.deleteSubmission(formId, made[0] ?? '');
    workspace.deleteSubmission(formId, made[1] ?? '');
    clock.advance(59_999);
    expect(await count()).toBe(120);
    clock.advance(1);
    expect(await count()).toBe(118);
    clock.advance(30_000);
    expect(await count()).toBe(119);
    workspace.restoreSubmission(formId, made[0] ?? '');
    expect(await count()).toBe(119);
    quirks.countLagMs = 0;
    expect(await count()).toBe(120);
  });

  it('fixedCounts: submissions_count of a form is this number', async () => {
    emulator.quirks.fixedCounts[formId] = 7;
    emulator.workspace.addSubmission(formId);
    expect(await count()).toBe(7);
    emulator.reset();
    expect(await count()).toBe(121);
  });

  it('latencyMs: every answer takes that long', async () => {
    emulator.quirks.latencyMs = 60;
    const started = performance.now();
    await send(emulator, 'GET', '/v2/forms');
    expect(performance.now() - started).toBeGreaterThan(55);
  });

  describe('randomTieOrder', () => {
    beforeEach(() => {
      emulator.quirks.randomTieOrder = true;
    });

    it('rows of different times keep their order', async () => {
      expect(await list('')).toEqual(made);
    });

    it('rows of equal time come in another order each time, and none is lost or repeated', async () => {
      const tied = range(50).map(() => emulator.workspace.addSubmission(formId, { createdAt: TIE }).id);
      const group = [made[0], ...tied];
      const once = (await list('')).slice(0, 51);
      const twice = (await list('')).slice(0, 51);
      expect(once).not.toEqual(twice);
      expect([...once].sort()).toEqual([...group].sort());
      expect([...twice].sort()).toEqual([...group].sort());
    });

    it('a row can change pages between two requests', async () => {
      for (const _row of range(50)) emulator.workspace.addSubmission(formId, { createdAt: TIE });
      const first = await list('?page=1&page_size=25');
      const second = await list('?page=2&page_size=25');
      expect(new Set([...first, ...second]).size).toBeLessThan(50);
    });
  });
});
