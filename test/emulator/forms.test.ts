import { createClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { anyText, ids, range, send, type ResponseBody } from './client.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(START) });
});
afterEach(() => emulator.close());

const titles = (data: ResponseBody): string[] => data.forms.map(({ title }) => title);

describe('GET /forms', () => {
  it('lists no forms in an empty workspace', async () => {
    const { status, data } = await send(emulator, 'GET', '/v2/forms');
    expect(status).toBe(200);
    expect(data).toEqual({
      forms: [],
      pagination: { total_records: 0, total_pages: 0, current_page_number: 1, page_size: 0 },
      total_count: 0,
    });
  });

  it('shows every field of a form and no other', async () => {
    const form = emulator.workspace.addForm({ title: 'Contact' });
    const { data } = await send(emulator, 'GET', '/v2/forms');
    expect(data.forms).toEqual([
      {
        id: form.id,
        title: 'Contact',
        is_published: true,
        state: 'published',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
        submissions_count: 0,
        attempt_url: `${emulator.url}/forms/${form.id}/attempt`,
        is_archived: false,
        is_disabled: false,
        is_suspended: false,
        created_by: 'admin@example.com',
      },
    ]);
    expect(form.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  describe('by status', () => {
    beforeEach(() => {
      emulator.workspace.addForm({ title: 'plain' });
      emulator.workspace.addForm({ title: 'old', isArchived: true });
      emulator.workspace.addForm({ title: 'liked', isFavorite: true });
      emulator.workspace.addForm({ title: 'old and liked', isArchived: true, isFavorite: true });
    });

    it.each([
      ['active', ['plain', 'liked']],
      ['archived', ['old', 'old and liked']],
      ['favorite', ['liked', 'old and liked']],
      ['anything', ['plain', 'old', 'liked', 'old and liked']],
      ['ACTIVE', ['plain', 'old', 'liked', 'old and liked']],
      ['', ['plain', 'old', 'liked', 'old and liked']],
    ])('?status=%s lists %j', async (status, expected) => {
      const { data } = await send(emulator, 'GET', `/v2/forms?status=${status}`);
      expect(titles(data)).toEqual(expected);
      expect(data.total_count).toBe(expected.length);
    });
  });

  describe('by order', () => {
    beforeEach(() => {
      emulator.workspace.addForm({ title: 'second', createdAt: START + 2 });
      emulator.workspace.addForm({ title: 'third', createdAt: START + 3 });
      emulator.workspace.addForm({ title: 'first', createdAt: START + 1 });
    });

    it.each([
      ['', ['first', 'second', 'third']],
      ['?order=asc', ['first', 'second', 'third']],
      ['?order=desc', ['third', 'second', 'first']],
    ])('%s lists %j', async (query, expected) => {
      expect(titles((await send(emulator, 'GET', `/v2/forms${query}`)).data)).toEqual(expected);
    });
  });

  describe('by page', () => {
    beforeEach(() => {
      for (const number of range(130))
        emulator.workspace.addForm({ title: `form ${number}`, createdAt: START + number });
    });

    it.each([
      ['', 130, 130, 1, 1],
      ['?page_size=10', 130, 130, 1, 1],
      ['?page=1', 30, 30, 5, 1],
      ['?page=5', 10, 30, 5, 5],
      ['?page=6', 0, 30, 5, 6],
      ['?page=2&page_size=50', 50, 50, 3, 2],
      ['?page=1&page_size=100', 100, 100, 2, 1],
      ['?page=1&page_size=1000', 100, 100, 2, 1],
    ])('%s lists %i of 130 (page size %i, %i pages, page %i)', async (query, length, size, pages, page) => {
      const { data } = await send(emulator, 'GET', `/v2/forms${query}`);
      expect(data.forms).toHaveLength(length);
      expect(data.pagination).toEqual({
        total_records: 130,
        total_pages: pages,
        current_page_number: page,
        page_size: size,
      });
      expect(data.total_count).toBe(130);
    });
  });
});

describe('POST /forms', () => {
  it('creates a form and answers 201', async () => {
    const answer = await send(emulator, 'POST', '/v2/forms', {
      data: { form: { title: ' New ', created_by_email: 'Admin@example.com' } },
    });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.data)).toEqual(['form']);
    expect(answer.data.form).toMatchObject({
      title: 'New',
      created_by: 'admin@example.com',
      submissions_count: 0,
      is_published: false,
    });
    expect((await send(emulator, 'GET', `/v2/forms/${answer.data.form.id}`)).data).toEqual({
      ...answer.data.form,
      questions: [],
    });
  });

  it.each([
    [{}, 'param is missing or the value is empty: form'],
    [{ form: {} }, "Title can't be blank"],
    [{ form: { title: '  ' } }, "Title can't be blank"],
    [{ form: { title: 'x', created_by_email: 'a@example.com' } }, /must belong to a member/],
  ])('%j is refused: %s', async (data, error) => {
    expect((await send(emulator, 'POST', '/v2/forms', { data })).data).toEqual({
      error: expect.stringMatching(error) as unknown,
    });
    expect(emulator.workspace.forms).toHaveLength(0);
  });
});

describe('GET /forms/{form_id}', () => {
  it('shows the form flat, with its questions in order', async () => {
    const form = emulator.workspace.addForm({
      title: 'Contact',
      questions: [
        { label: 'Second', position: 2, kind: 'email', isRequired: true },
        { label: 'First', position: 1, isHidden: true },
      ],
    });
    const { status, data } = await send(emulator, 'GET', `/v2/forms/${form.id}`);
    expect(status).toBe(200);
    const { questions, ...rest } = data;
    expect(rest).toEqual((await send(emulator, 'GET', '/v2/forms')).data.forms[0]);
    expect(questions).toEqual([
      {
        id: anyText(),
        label: 'First',
        kind: 'short_text',
        slug: 'first',
        position: 1,
        is_required: false,
        is_hidden: true,
      },
      {
        id: anyText(),
        label: 'Second',
        kind: 'email',
        slug: 'second',
        position: 2,
        is_required: true,
        is_hidden: false,
      },
    ]);
  });

  it('two questions of the same label have different slugs', async () => {
    const form = emulator.workspace.addForm({
      title: 'x',
      questions: [{ label: 'Name' }, { label: 'Name' }, { label: 'なまえ' }],
    });
    const { data } = await send(emulator, 'GET', `/v2/forms/${form.id}`);
    expect(data.questions.map(({ slug }) => slug)).toEqual(['name', 'name-2', 'type-a-question']);
  });

  it('an unknown id gets 404 with the documented message', async () => {
    const answer = await send(emulator, 'GET', '/v2/forms/unknown');
    expect(answer.status).toBe(404);
    expect(answer.data).toEqual({ error: 'Form does not exist.' });
  });

  it.each(['a/b', '../team-members/x', '%2e%2e', 'Grüße 🎉', '?page=1', '#top', '%25', 'x'.repeat(300)])(
    'finds the form with the id %j, decoded exactly once',
    async (id) => {
      emulator.workspace.addForm({ id, title: 'hostile' });
      const encoded = encodeURIComponent(id);
      expect((await send(emulator, 'GET', `/v2/forms/${encoded}`)).data).toMatchObject({ id, title: 'hostile' });
      expect((await send(emulator, 'GET', `/v2/forms/${encoded}/submissions`)).data.submissions).toEqual([]);
      expect(emulator.requests.map(({ path }) => path)).toEqual([
        `/api/external/v2/forms/${encoded}`,
        `/api/external/v2/forms/${encoded}/submissions`,
      ]);
    },
  );
});

describe('what happens to a form between two requests', () => {
  it('a change shows, with a new updated_at', async () => {
    const form = emulator.workspace.addForm({ title: 'before' });
    emulator.clock.advance(5000);
    emulator.workspace.updateForm(form.id, { title: 'after', isArchived: true });
    expect((await send(emulator, 'GET', `/v2/forms/${form.id}`)).data).toMatchObject({
      title: 'after',
      is_archived: true,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:05.000Z',
    });
  });

  it('submissions_count counts what is visible', async () => {
    const form = emulator.workspace.addForm({ title: 'x' });
    emulator.workspace.addHistory(form.id, { count: 1000, from: START - 10_000_000, everyMs: 1000 });
    const gone = emulator.workspace.addSubmission(form.id);
    emulator.workspace.addSubmission(form.id, { visibleAt: START + 1000 });
    const count = async (): Promise<number> =>
      (await send(emulator, 'GET', `/v2/forms/${form.id}`)).data.submissions_count;
    expect(await count()).toBe(1001);
    emulator.clock.advance(1000);
    expect(await count()).toBe(1002);
    emulator.workspace.deleteSubmission(form.id, gone.id);
    expect(await count()).toBe(1001);
  });

  it('forms created at the same moment keep the order in which they came', async () => {
    const made = range(5).map((number) => emulator.workspace.addForm({ title: String(number) }).id);
    expect(ids((await send(emulator, 'GET', '/v2/forms')).data.forms)).toEqual(made);
  });

  it('forms are archived, made active again and deleted', async () => {
    const clock = emulator.clock;
    const { id } = emulator.workspace.addForm({ title: 'x', createdAt: clock.now() - 5_000 });
    emulator.workspace.addSubmission(id);
    const updated = (): number | undefined => emulator.workspace.form(id)?.updatedAt;
    emulator.workspace.archiveForm(id);
    expect(ids((await send(emulator, 'GET', '/v2/forms?status=active')).data.forms)).not.toContain(id);
    expect(updated()).toBe(clock.now());
    emulator.workspace.unarchiveForm(id);
    expect(ids((await send(emulator, 'GET', '/v2/forms?status=active')).data.forms)).toContain(id);
    expect(emulator.workspace.deleteForm(id)).toBe(true);
    expect(emulator.workspace.deleteForm(id)).toBe(false);
    for (const path of [`/v2/forms/${id}`, `/v2/forms/${id}/submissions`])
      expect((await send(emulator, 'GET', path)).status).toBe(404);
    expect(ids((await send(emulator, 'GET', '/v2/forms')).data.forms)).not.toContain(id);
  });
});
