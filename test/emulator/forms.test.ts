import { createClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { anyText, ids, range, send, type ResponseBody } from './client.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(START) });
});
afterEach(() => emulator.close());

const list = async (query = ''): Promise<ResponseBody> => (await send(emulator, 'GET', `/v2/forms${query}`)).data;
const titles = ({ forms }: ResponseBody): string[] => forms.map(({ title }) => title);

describe('listForms', () => {
  it('lists no forms in an empty workspace', async () => {
    const pagination = { total_records: 0, total_pages: 0, current_page_number: 1, page_size: 0 };
    expect(await list()).toEqual({ forms: [], pagination, total_count: 0 });
  });

  it('shows every field of a form', async () => {
    const form = emulator.workspace.addForm({ title: 'Contact' });
    expect((await list()).forms).toEqual([
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

  it.each([
    ['active', ['plain', 'liked']],
    ['archived', ['old', 'old and liked']],
    ['favorite', ['liked', 'old and liked']],
    ['ACTIVE', ['plain', 'old', 'liked', 'old and liked']],
    ['', ['plain', 'old', 'liked', 'old and liked']],
  ])('?status=%s lists %j', async (status, expected) => {
    emulator.workspace.addForm({ title: 'plain' });
    emulator.workspace.addForm({ title: 'old', isArchived: true });
    emulator.workspace.addForm({ title: 'liked', isFavorite: true });
    emulator.workspace.addForm({ title: 'old and liked', isArchived: true, isFavorite: true });
    const data = await list(`?status=${status}`);
    expect([titles(data), data.total_count]).toEqual([expected, expected.length]);
  });

  it('orders by creation, oldest first unless desc is requested', async () => {
    for (const [title, ms] of [
      ['second', 2],
      ['third', 3],
      ['first', 1],
      ['also first', 1],
    ] as const)
      emulator.workspace.addForm({ title, createdAt: START + ms });
    const expected = ['first', 'also first', 'second', 'third'];
    expect(titles(await list())).toEqual(expected);
    expect(titles(await list('?order=asc'))).toEqual(expected);
    expect(titles(await list('?order=desc'))).toEqual(expected.reverse());
  });

  it.each([
    ['', 0, 130, 130, 1, 1],
    ['?page_size=10', 0, 130, 130, 1, 1],
    ['?page=1', 0, 30, 30, 5, 1],
    ['?page=5', 120, 130, 30, 5, 5],
    ['?page=6', 150, 150, 30, 5, 6],
    ['?page=2&page_size=50', 50, 100, 50, 3, 2],
    ['?page=1&page_size=1000', 0, 100, 100, 2, 1],
  ])('%s lists rows %i to %i of 130 (page size %i, %i pages, page %i)', async (query, from, to, size, pages, page) => {
    for (const number of range(130)) emulator.workspace.addForm({ title: `${number}`, createdAt: START + number });
    const data = await list(query);
    expect(titles(data)).toEqual(range(to - from).map((number) => String(from + number)));
    const pagination = { total_records: 130, total_pages: pages, current_page_number: page, page_size: size };
    expect(data).toMatchObject({ pagination, total_count: 130 });
  });
});

describe('createForm', () => {
  const create = async (form?: unknown) => await send(emulator, 'POST', '/v2/forms', { data: { form } });

  it('creates a draft', async () => {
    const { data } = await create({ title: ' New ', created_by_email: 'Admin@example.com' });
    const { form } = data;
    expect(form).toMatchObject({ title: 'New', created_by: 'admin@example.com', is_published: false, state: 'draft' });
    expect((await send(emulator, 'GET', `/v2/forms/${form.id}`)).data).toEqual({ ...form, questions: [] });
    expect((await create({ title: 'New' })).data.form.created_by).toBe('admin@example.com');
  });

  it.each([
    [undefined, /param is missing/],
    [{}, /^Title can't be blank$/],
    [{ title: '  ' }, /^Title can't be blank$/],
    [{ title: 'x', created_by_email: 'a@example.com' }, /must belong to a member/],
  ])('refuses %j: %s', async (form, error) => {
    expect(await create(form)).toMatchObject({ status: 422, data: { error: anyText(error) } });
    expect(emulator.workspace.forms).toHaveLength(0);
  });
});

describe('getForm', () => {
  it('shows the form flat, with its questions in order', async () => {
    const { id } = emulator.workspace.addForm({
      title: 'Contact',
      questions: [
        { label: 'Second', position: 2, kind: 'email', isRequired: true },
        { label: 'First', position: 1, isHidden: true },
      ],
    });
    const questions = [
      { label: 'First', kind: 'short_text', slug: 'first', position: 1, is_required: false, is_hidden: true },
      { label: 'Second', kind: 'email', slug: 'second', position: 2, is_required: true, is_hidden: false },
    ].map((question) => ({ id: anyText(), ...question }));
    expect((await send(emulator, 'GET', `/v2/forms/${id}`)).data).toEqual({ ...(await list()).forms[0], questions });
  });

  it('two questions of the same label have different slugs', async () => {
    const questions = [{ label: 'Name' }, { label: 'Name' }, { label: 'なまえ' }];
    const { id } = emulator.workspace.addForm({ title: 'x', questions });
    const { data } = await send(emulator, 'GET', `/v2/forms/${id}`);
    expect(data.questions.map(({ slug }) => slug)).toEqual(['name', 'name-2', 'type-a-question']);
  });

  it('an unknown id gets 404 with the documented message', async () => {
    for (const path of ['/v2/forms/unknown', '/v2/forms/unknown/submissions'])
      expect(await send(emulator, 'GET', path)).toMatchObject({ status: 404, data: { error: 'Form does not exist.' } });
  });

  it.each(['a/b', '../team-members/x', '%2e%2e', 'Grüße 🎉', '?page=1', '#top', '%25', 'x'.repeat(300)])(
    'finds the form with the id %j, decoded exactly once',
    async (id) => {
      emulator.workspace.addForm({ id, title: 'hostile' });
      const path = `/v2/forms/${encodeURIComponent(id)}`;
      expect((await send(emulator, 'GET', path)).data).toMatchObject({ id, title: 'hostile' });
      expect((await send(emulator, 'GET', `${path}/submissions`)).data.submissions).toEqual([]);
    },
  );
});

describe('what happens to a form between two requests', () => {
  it('a change shows, with a new updated_at', async () => {
    const { id } = emulator.workspace.addForm({ title: 'before' });
    emulator.clock.advance(5000);
    emulator.workspace.updateForm(id, { title: 'after' });
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:05.000Z' };
    expect((await send(emulator, 'GET', `/v2/forms/${id}`)).data).toMatchObject({ title: 'after', ...times });
  });

  it('submissions_count counts what is visible', async () => {
    const { id } = emulator.workspace.addForm({ title: 'x' });
    emulator.workspace.addHistory(id, { count: 1000, from: START - 10_000_000, everyMs: 1000 });
    const gone = emulator.workspace.addSubmission(id);
    emulator.workspace.addSubmission(id, { visibleAt: START + 1000 });
    const count = async () => (await send(emulator, 'GET', `/v2/forms/${id}`)).data.submissions_count;
    expect(await count()).toBe(1001);
    emulator.clock.advance(1000);
    expect(await count()).toBe(1002);
    emulator.workspace.deleteSubmission(id, gone.id);
    expect(await count()).toBe(1001);
  });

  it('forms are archived, made active again and deleted', async () => {
    const { clock, workspace } = emulator;
    const { id } = workspace.addForm({ title: 'x', createdAt: clock.now() - 5_000 });
    workspace.addSubmission(id);
    workspace.archiveForm(id);
    expect(ids((await list('?status=active')).forms)).toEqual([]);
    expect(workspace.form(id)?.updatedAt).toBe(clock.now());
    workspace.unarchiveForm(id);
    expect(ids((await list('?status=active')).forms)).toEqual([id]);
    expect([workspace.deleteForm(id), workspace.deleteForm(id)]).toEqual([true, false]);
    expect((await send(emulator, 'GET', `/v2/forms/${id}/submissions`)).status).toBe(404);
    expect((await list()).forms).toEqual([]);
  });
});
