import { createClock, startEmulator, type Emulator, type Form } from '../../emulator/index.ts';
import { anyText, ids, range, send, type Response } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const CREATED = Date.parse('2026-02-09T05:20:59.464Z');
let emulator: Emulator;
let form: Form;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(NOW) });
  form = emulator.workspace.addForm({
    title: 'Contact',
    questions: [
      { label: 'Name', slug: 'full-name', kind: 'name' },
      { label: 'Languages', slug: 'languages', kind: 'multiple_choice', options: ['English', 'Hindi'] },
      { label: 'Message', slug: 'type-a-question', kind: 'long_text' },
    ],
  });
});
afterEach(() => emulator.close());

const list = async (query = ''): Promise<Response> =>
  await send(emulator, 'GET', `/v2/forms/${form.id}/submissions${query}`);

const listed = async (query = ''): Promise<string[]> => ids((await list(query)).data.submissions);

describe('GET /forms/{form_id}/submissions', () => {
  it('lists none of an empty form', async () => {
    expect((await list('?page=1')).data).toEqual({
      submissions: [],
      pagination: { total_records: 0, total_pages: 0, current_page_number: 1, page_size: 30 },
      total_count: 0,
    });
  });

  it('shows every field of a submission and no other', async () => {
    const fieldValues = [{ id: 'v1', field_id: 'c1', data: { value: 'Open' } }];
    const { id } = emulator.workspace.addSubmission(form.id, {
      createdAt: CREATED,
      answers: { 'type-a-question': 'Hello', 'full-name': { first_name: 'Mia', last_name: 'Weber' } },
      fieldValues,
    });
    const { status, data } = await list();
    expect(status).toBe(200);
    expect(data.submissions).toEqual([
      {
        id,
        created_at: '2026-02-09T05:20:59.464Z',
        field_values: fieldValues,
        user_agent: {
          id: anyText(),
          name: anyText(),
          version: anyText(),
          ip_address: anyText(/^203\.0\.113\.\d+$/),
          device_name: anyText(),
          device_type: anyText(),
          operating_system: anyText(),
          operating_system_version: anyText(),
          submission_id: id,
          created_at: '2026-02-09T05:20:59.464Z',
          updated_at: '2026-02-09T05:20:59.464Z',
        },
        responses: [
          {
            id: anyText(),
            label: 'Name',
            position: 1,
            kind: 'name',
            slug: 'full-name',
            value: { first_name: 'Mia', last_name: 'Weber' },
          },
          { id: anyText(), label: 'Message', position: 3, kind: 'long_text', slug: 'type-a-question', value: 'Hello' },
        ],
      },
    ]);
  });

  it('responses follow the form as it is now: order, labels, and only questions that are still there', async () => {
    emulator.workspace.addSubmission(form.id, {
      answers: { 'full-name': 'Mia', languages: ['Hindi'], 'type-a-question': 'Hi' },
    });
    const slugs = async (): Promise<Array<[string, string]>> =>
      (await list()).data.submissions[0]?.responses.map(({ slug, label }) => [slug, label]) ?? [];
    emulator.workspace.updateForm(form.id, {
      questions: [
        { label: 'Your message', slug: 'type-a-question' },
        { label: 'Who are you?', slug: 'full-name' },
      ],
    });
    expect(await slugs()).toEqual([
      ['type-a-question', 'Your message'],
      ['full-name', 'Who are you?'],
    ]);
  });

  it('sends responses that were given as they are', async () => {
    emulator.workspace.addSubmission(form.id, { responses: [{ odd: true }, 'text', null] });
    expect((await list()).data.submissions[0]?.responses).toEqual([{ odd: true }, 'text', null]);
  });

  it('an answer to a question called constructor or __proto__ is an answer like any other', async () => {
    emulator.workspace.updateForm(form.id, {
      questions: [
        { label: 'c', slug: 'constructor' },
        { label: 'p', slug: '__proto__' },
      ],
    });
    emulator.workspace.addSubmission(form.id, { answers: {} });
    emulator.workspace.addSubmission(form.id, { answers: Object.fromEntries([['__proto__', 'x']]) });
    const { data } = await list();
    expect(data.submissions[0]?.responses).toEqual([]);
    expect(data.submissions[1]?.responses).toMatchObject([{ slug: '__proto__', value: 'x' }]);
  });

  describe('created_at', () => {
    it.each([
      '2026-02-09T10:50:59.464+05:30',
      '2026-02-09T05:20:59Z',
      '2026-02-09T05:20:59.464123Z',
      '2026-02-09T05:20Z',
    ])('is shown as it was written: %s', async (createdAt) => {
      emulator.workspace.addSubmission(form.id, { createdAt });
      expect((await list()).data.submissions[0]?.created_at).toBe(createdAt);
    });

    it('microseconds order and filter, but are not shown', async () => {
      const last = emulator.workspace.addSubmission(form.id, { createdAt: CREATED, micros: 999 });
      const first = emulator.workspace.addSubmission(form.id, { createdAt: CREATED, micros: 123 });
      const middle = emulator.workspace.addSubmission(form.id, { createdAt: CREATED, micros: 500 });
      expect(await listed()).toEqual([first.id, middle.id, last.id]);
      expect(await listed('?submitted_after=2026-02-09T05:20:59.4645Z')).toEqual([middle.id, last.id]);
      const { data } = await list();
      expect(data.submissions.map(({ created_at }) => created_at)).toEqual(
        range(3).map(() => '2026-02-09T05:20:59.464Z'),
      );
    });

    it('is the time of the clock unless it is given', async () => {
      emulator.workspace.addSubmission(form.id);
      expect((await list()).data.submissions[0]?.created_at).toBe('2026-02-09T06:00:00.000Z');
    });
  });

  describe('?submitted_after', () => {
    let exactly: string;
    let after: string;

    beforeEach(() => {
      emulator.workspace.addSubmission(form.id, { createdAt: Date.parse('2026-02-08T23:59:59.999Z') });
      exactly = emulator.workspace.addSubmission(form.id, { createdAt: Date.parse('2026-02-09T00:00:00Z') }).id;
      after = emulator.workspace.addSubmission(form.id, { createdAt: Date.parse('2026-02-09T00:00:00.001Z') }).id;
    });

    it.each([
      '2026-02-09',
      '2026-02-09T00:00:00Z',
      '2026-02-09T00:00:00',
      '2026-02-09T00:00Z',
      '2026-02-09T05:30:00%2B05:30',
      '2026-02-08T19:00:00-05:00',
    ])('=%s includes what was created at that very moment', async (value) => {
      expect(await listed(`?submitted_after=${value}`)).toEqual([exactly, after]);
    });

    it('counts only what matches', async () => {
      const { data } = await list('?submitted_after=2026-02-09&page=1&page_size=1');
      expect(ids(data.submissions)).toEqual([exactly]);
      expect(data.total_count).toBe(2);
      expect(data.pagination).toEqual({ total_records: 2, total_pages: 2, current_page_number: 1, page_size: 1 });
    });

    it.each(['yesterday', '', '2026-02-30', '2026-13-01', '2026-02-09T25:00Z', '2026-02-09T05:30:00+05:30'])(
      '=%s gets the documented message',
      async (value) => {
        const response = await list(`?submitted_after=${value}`);
        expect(response.status).toBe(422);
        expect(response.data).toEqual({ error: 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.' });
      },
    );
  });

  describe('?order', () => {
    it('asc is the default, desc is the exact reverse, ties included', async () => {
      const made = range(5).map(
        (number) => emulator.workspace.addSubmission(form.id, { createdAt: CREATED + (number >> 1) }).id,
      );
      expect(await listed()).toEqual(made);
      expect(await listed('?order=asc')).toEqual(made);
      expect(await listed('?order=desc')).toEqual([...made].reverse());
      expect(await listed('?order=desc&page=2&page_size=2')).toEqual([made[2], made[1]]);
    });
  });

  describe('?page and ?page_size', () => {
    let made: string[];

    beforeEach(() => {
      made = range(250).map((number) => emulator.workspace.addSubmission(form.id, { createdAt: CREATED + number }).id);
    });

    it('without page, all come and page_size is ignored', async () => {
      const { data } = await list('?page_size=7');
      expect(ids(data.submissions)).toEqual(made);
      expect(data.pagination).toEqual({ total_records: 250, total_pages: 1, current_page_number: 1, page_size: 250 });
    });

    it('without page_size, a page has 30', async () => {
      expect(await listed('?page=2')).toEqual(made.slice(30, 60));
    });

    it('page_size is capped at 100', async () => {
      const { data } = await list('?page=3&page_size=500');
      expect(ids(data.submissions)).toEqual(made.slice(200));
      expect(data.pagination).toEqual({ total_records: 250, total_pages: 3, current_page_number: 3, page_size: 100 });
    });

    it('a page after the last is empty', async () => {
      expect(await listed('?page=4&page_size=100')).toEqual([]);
    });

    it('a row deleted between two pages makes the next one skip a row', async () => {
      const first = await listed('?page=1&page_size=100');
      emulator.workspace.deleteSubmission(form.id, first[0] ?? '');
      expect((await listed('?page=2&page_size=100'))[0]).toBe(made[101]);
    });
  });

  describe('visibility', () => {
    it('a row that is not visible yet is in no answer and counted nowhere; then it takes its place', async () => {
      const late = emulator.workspace.addSubmission(form.id, { createdAt: CREATED, visibleAt: NOW + 30_000 });
      const newer = emulator.workspace.addSubmission(form.id, { createdAt: CREATED + 1000 });
      expect(await listed()).toEqual([newer.id]);
      expect((await list()).data.total_count).toBe(1);
      emulator.clock.advance(29_999);
      expect(await listed()).toEqual([newer.id]);
      emulator.clock.advance(1);
      expect(await listed()).toEqual([late.id, newer.id]);
      expect(await listed(`?submitted_after=${new Date(CREATED).toISOString()}`)).toEqual([late.id, newer.id]);
    });

    it('rows become visible in the order of their visibleAt, whatever the order they came in', async () => {
      const [c, a, b] = [3, 1, 2].map(
        (at) => emulator.workspace.addSubmission(form.id, { createdAt: CREATED - at, visibleAt: NOW + at }).id,
      );
      emulator.clock.set(NOW + 1);
      expect(await listed()).toEqual([a]);
      emulator.clock.set(NOW + 2);
      expect(await listed()).toEqual([b, a]);
      emulator.clock.set(NOW + 3);
      expect(await listed()).toEqual([c, b, a]);
    });

    it('a deleted row is gone, a restored one is back in its place', async () => {
      const [one = '', two = '', three = ''] = range(3).map(
        (number) => emulator.workspace.addSubmission(form.id, { createdAt: CREATED + number }).id,
      );
      expect(emulator.workspace.deleteSubmission(form.id, two)).toBe(true);
      expect(emulator.workspace.deleteSubmission(form.id, two)).toBe(false);
      expect(await listed()).toEqual([one, three]);
      expect(emulator.workspace.restoreSubmission(form.id, two)).toBe(true);
      expect(emulator.workspace.restoreSubmission(form.id, two)).toBe(false);
      expect(await listed()).toEqual([one, two, three]);
    });
  });
});

describe('a form with a million submissions', () => {
  const COUNT = 1_000_000;
  const FROM = Date.parse('2020-01-01T00:00:00Z');

  beforeEach(() => {
    emulator.workspace.addHistory(form.id, { count: COUNT, from: FROM, everyMs: 60_000 });
  });

  it('shows any of its pages at once, in bounded memory', async () => {
    const heapBefore = process.memoryUsage().heapUsed;
    const started = performance.now();
    for (const page of [1, 2, 5000, 9999, 10_000]) {
      const { data } = await list(`?page=${page}&page_size=100`);
      expect(data.submissions).toHaveLength(100);
      expect(data.submissions[0]?.created_at).toBe(new Date(FROM + (page - 1) * 100 * 60_000).toISOString());
      expect(data.pagination).toEqual({
        total_records: COUNT,
        total_pages: 10_000,
        current_page_number: page,
        page_size: 100,
      });
    }
    expect(performance.now() - started).toBeLessThan(2000);
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(50_000_000);
  });

  it('has as many different ids', () => {
    const seen = new Set<string>();
    for (const offset of range(100)) {
      const { rows } = emulator.workspace.selectSubmissions(form.id, {
        order: 'asc',
        offset: offset * 10_000,
        limit: 100,
      });
      for (const { id } of rows) seen.add(id);
    }
    expect(seen.size).toBe(10_000);
    for (const id of seen) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('mixes with added rows in order, and counts both', async () => {
    const between = emulator.workspace.addSubmission(form.id, { createdAt: FROM + 30_000 });
    const { data } = await list('?page=1&page_size=3');
    expect(ids(data.submissions)[1]).toBe(between.id);
    expect(data.total_count).toBe(COUNT + 1);
  });
});
