import type { INodeListSearchResult, INodeParameterResourceLocator } from 'n8n-workflow';

import type { FaultEffect } from '../../emulator/index.ts';
import { addForms, addMembers, anyText, LONG_AGO, range, useHarness } from '../support/harness';
import { useFastClock } from './fastClock';

const harness = useHarness();

type Method = 'searchForms' | 'searchTeamMembers';

/** Every part of a list, as a user scrolls through it. */
async function scroll(method: Method, filter?: string): Promise<INodeListSearchResult['results']> {
  const results: INodeListSearchResult['results'] = [];
  let paginationToken: string | undefined;
  for (let part = 0; part < 40; part++) {
    const given = await harness.list(method, { filter, paginationToken });
    results.push(...given.results);
    paginationToken = given.paginationToken;
    if (paginationToken === undefined) return results;
  }
  throw new Error('The list has no end');
}

const names = (results: INodeListSearchResult['results']) => results.map(({ name }) => name);

describe('the list of forms', () => {
  it('shows the newest first, a page at a time', async () => {
    const forms = addForms(harness.emulator, 250);
    const { results, paginationToken } = await harness.list('searchForms');
    expect(results.map(({ value }) => value)).toEqual(
      forms
        .map(({ id }) => id)
        .reverse()
        .slice(0, 100),
    );
    expect(paginationToken).toBeDefined();
    expect(harness.requests()).toEqual(['GET /v2/forms?order=desc&page=1&page_size=100']);
  });

  it('shows every form once when scrolled to its end', async () => {
    const forms = addForms(harness.emulator, 250);
    expect((await scroll('searchForms')).map(({ value }) => value)).toEqual(forms.map(({ id }) => id).reverse());
    expect(harness.requests()).toHaveLength(3);
  });

  it.each([0, 1, 100])('of %i forms ends with its first page', async (count) => {
    addForms(harness.emulator, count);
    const { results, paginationToken } = await harness.list('searchForms');
    expect(results).toHaveLength(count);
    expect(paginationToken).toBeUndefined();
  });

  it('finds forms by all words of their title, in any case, beyond the first page', async () => {
    harness.emulator.workspace.addForm({ title: 'Customer SURVEY of old', createdAt: LONG_AGO - 1000 });
    harness.emulator.workspace.addForm({ title: 'Survey', createdAt: LONG_AGO - 2000 });
    addForms(harness.emulator, 250);
    expect(names(await scroll('searchForms', 'survey  CUSTOMER'))).toEqual([anyText(/^Customer SURVEY of old/)]);
    const { results } = await harness.list('searchForms', { filter: 'survey customer' });
    expect(results).toHaveLength(1);
  });

  it('is empty when nothing matches', async () => {
    addForms(harness.emulator, 250);
    await expect(harness.list('searchForms', { filter: 'nothing like it' })).resolves.toMatchObject({ results: [] });
    await expect(scroll('searchForms', 'nothing like it')).resolves.toEqual([]);
  });

  it('searches at most ten pages at once, and continues from there when scrolled', async () => {
    harness.emulator.workspace.addForm({ title: 'The needle', createdAt: LONG_AGO - 1000 });
    addForms(harness.emulator, 1200);
    const { results, paginationToken } = await harness.list('searchForms', { filter: 'needle' });
    expect(results).toEqual([]);
    expect(harness.requests()).toHaveLength(10);
    const next = await harness.list('searchForms', { filter: 'needle', paginationToken: paginationToken ?? 'none' });
    expect(names(next.results)).toEqual([anyText(/^The needle/)]);
  });

  it('shows the title alone', async () => {
    addForms(harness.emulator, 2);
    expect(names((await harness.list('searchForms')).results)).toEqual(['Form 2', 'Form 1']);
  });

  it('adds the date to forms of one title, and the ID to those of one day', async () => {
    const { workspace } = harness.emulator;
    workspace.addForm({ title: 'Contact', createdAt: Date.parse('2025-03-01T10:00:00Z') });
    const early = workspace.addForm({ title: 'Contact', createdAt: Date.parse('2026-01-15T10:00:00Z') });
    const late = workspace.addForm({ title: ' Contact\n', createdAt: Date.parse('2026-01-15T11:00:00Z') });
    workspace.addForm({ title: 'Feedback', createdAt: Date.parse('2026-01-15T12:00:00Z') });
    expect(names((await harness.list('searchForms')).results)).toEqual([
      'Feedback',
      `Contact (ID ${late.id})`,
      `Contact (ID ${early.id})`,
      'Contact (created 2025-03-01)',
    ]);
  });

  it('tells forms of one title apart on different pages', async () => {
    const { workspace } = harness.emulator;
    for (const at of ['2024-03-01T10:00:00Z', '2024-03-01T11:00:00Z', '2026-01-15T10:00:00Z'])
      workspace.addForm({ title: 'Contact', createdAt: Date.parse(at) });
    addForms(harness.emulator, 250);
    const shown = names(await scroll('searchForms'));
    expect(shown).toHaveLength(253);
    expect(new Set(shown).size).toBe(253);
    expect(shown.filter((name) => name.startsWith('Contact'))).toEqual([
      'Contact',
      anyText(/^Contact \(ID /),
      anyText(/^Contact \(ID /),
    ]);
  });

  it('offers archived and unpublished forms, and marks them', async () => {
    const { workspace } = harness.emulator;
    const createdAt = Date.parse('2026-01-16T10:00:00Z');
    workspace.addForm({ title: 'Closed', createdAt, isArchived: true });
    workspace.addForm({ title: 'New', createdAt, isPublished: false });
    workspace.addForm({ title: 'Dropped', createdAt, isArchived: true, isPublished: false });
    workspace.addForm({ title: 'Contact', createdAt, isArchived: true });
    workspace.addForm({ title: 'Contact', createdAt });
    const shown = names((await harness.list('searchForms')).results);
    expect(shown.sort()).toEqual([
      'Closed (archived)',
      'Contact',
      'Contact (archived)',
      'Dropped (archived, draft)',
      'New (draft)',
    ]);
  });

  it('links each form to its page', async () => {
    const [form] = addForms(harness.emulator, 1);
    const [shown] = (await harness.list('searchForms')).results;
    expect(shown?.url).toBe(`${harness.emulator.url}/forms/${form?.id}/attempt`);
  });

  it('links no form to an address that is not a web page', async () => {
    harness.allowUndocumented();
    const forms = ['javascript:alert(1)', '', null, 7].map((attempt_url, index) => ({
      id: `f${index}`,
      title: 'Odd',
      attempt_url,
    }));
    harness.emulator.fail({ with: { status: 200, body: { forms } } });
    expect((await harness.list('searchForms')).results.map(({ url }) => url)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('names a form without a title by its ID', async () => {
    harness.allowUndocumented();
    harness.emulator.fail({
      with: { status: 200, body: { forms: [{ id: 'some-id' }, { id: 'other-id', title: null }] } },
    });
    expect(names((await harness.list('searchForms')).results)).toEqual([
      'Untitled form (ID some-id)',
      'Untitled form (ID other-id)',
    ]);
  });

  it('gives values that the form field takes', async () => {
    addForms(harness.emulator, 1);
    const [shown] = (await harness.list('searchForms')).results;
    const [item] = await harness.run({
      resource: 'form',
      operation: 'get',
      formId: { __rl: true, mode: 'list', value: shown?.value },
    });
    expect(item?.json.title).toBe('Form 1');
  });
});

describe('the list for choosing several forms', () => {
  it.each([0, 3, 250])('of %i forms is complete, newest first', async (count) => {
    const forms = addForms(harness.emulator, count);
    const options = await harness.options('getForms');
    expect(options.map(({ value }) => value)).toEqual(forms.map(({ id }) => id).reverse());
    expect(options.map(({ name }) => name)).toEqual(forms.map(({ title }) => title).reverse());
  });

  it('tells forms of one title apart, wherever they are in the list', async () => {
    const { workspace } = harness.emulator;
    workspace.addForm({ title: 'Contact', createdAt: Date.parse('2024-03-01T10:00:00Z') });
    addForms(harness.emulator, 150);
    workspace.addForm({ title: 'Contact', createdAt: Date.parse('2026-01-15T10:00:00Z') });
    const shown = (await harness.options('getForms')).map(({ name }) => name);
    expect([shown[0], shown.at(-1)]).toEqual(['Contact (created 2026-01-15)', 'Contact (created 2024-03-01)']);
  });

  it('says what is wrong when the key is refused', async () => {
    harness.emulator.fail({ with: { status: 401, body: { error: 'Could not authenticate, invalid API Key' } } });
    await expect(harness.options('getForms')).rejects.toThrow('Could not authenticate, invalid API Key');
  });
});

describe('the list of team members', () => {
  it('shows every member once when scrolled to its end', async () => {
    addMembers(harness.emulator, 230);
    const shown = await scroll('searchTeamMembers');
    expect(shown.map(({ value }) => value)).toEqual(harness.emulator.workspace.members.map(({ id }) => id));
    expect(harness.requests()[0]).toBe('GET /v2/team-members?page_number=1&page_size=100');
    expect(harness.requests()).toHaveLength(3);
  });

  it('shows the name alone, and the address where it is needed', async () => {
    addMembers(harness.emulator, 1, { email: 'jane@example.com', firstName: 'Jane', lastName: 'Doe' });
    addMembers(harness.emulator, 1, { email: 'jane@other.com', firstName: 'Jane', lastName: 'Doe' });
    addMembers(harness.emulator, 1, { email: 'new@example.com', firstName: '', lastName: '' });
    expect(names((await harness.list('searchTeamMembers')).results).sort()).toEqual([
      'Ada Admin',
      'Jane Doe (jane@example.com)',
      'Jane Doe (jane@other.com)',
      'new@example.com',
    ]);
  });

  it('does not offer inactive members', async () => {
    addMembers(harness.emulator, 1, { email: 'gone@example.com', firstName: 'Joe', lastName: 'Gone', active: false });
    expect(names((await harness.list('searchTeamMembers')).results)).toEqual(['Ada Admin']);
    expect(names((await harness.list('searchTeamMembers', { filter: 'gone' })).results)).toEqual([]);
  });

  it.each([
    ['a part of the name', 'NE do', ['Jane Doe']],
    ['a part of the address', 'OTHER.com', ['Joe Roe']],
    ['words that nobody has', 'zzz', []],
  ])('finds members by %s, in any case, beyond the first page', async (_what, filter, found) => {
    addMembers(harness.emulator, 150);
    addMembers(harness.emulator, 1, {
      email: 'jane@example.com',
      firstName: 'Jane',
      lastName: 'Doe',
      createdAt: LONG_AGO + 1e9,
    });
    addMembers(harness.emulator, 1, {
      email: 'joe@other.com',
      firstName: 'Joe',
      lastName: 'Roe',
      createdAt: LONG_AGO + 1e9,
    });
    expect(names(await scroll('searchTeamMembers', filter))).toEqual(found);
  });
});

describe('the list of roles', () => {
  it('has Admin, Standard and the roles of the members, each once', async () => {
    addMembers(harness.emulator, 120, { organizationRole: 'Standard' });
    for (const [index, organizationRole] of ['Reviewer', 'Editor', 'Reviewer'].entries())
      harness.emulator.workspace.addMember({ email: `other${index}@example.com`, organizationRole });
    expect(await harness.options('getRoles')).toEqual(
      ['Admin', 'Standard', 'Editor', 'Reviewer'].map((role) => ({ name: role, value: role })),
    );
  });
});

describe('the list of time zones', () => {
  it('has the current names, without a request', async () => {
    const zones = (await harness.options('getTimeZones')).map(({ value }) => value);
    expect(zones).toEqual(expect.arrayContaining(['America/New_York', 'Asia/Kolkata', 'Europe/Berlin', 'UTC']));
    expect(zones).toEqual([...new Set(zones)].sort());
    expect(zones.filter((zone) => !isTimeZone(String(zone)))).toEqual([]);
    expect(harness.requests()).toEqual([]);
  });
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

describe('the list of questions', () => {
  const locator = (mode: string, value: unknown) => ({
    parameters: { formId: { __rl: true, mode, value } as INodeParameterResourceLocator },
  });

  it("has those of the form, in the form's order: slugs, shown by their labels", async () => {
    const form = harness.emulator.workspace.addForm({
      title: 'Contact',
      questions: [
        { label: 'Email address', slug: 'type-a-question-2', position: 2 },
        { label: 'Name', slug: 'type-a-question', position: 1 },
      ],
    });
    expect(await harness.options('getQuestions', locator('list', form.id))).toEqual([
      { name: 'Name', value: 'type-a-question' },
      { name: 'Email address', value: 'type-a-question-2' },
    ]);
    expect(harness.requests()).toEqual([`GET /v2/forms/${form.id}`]);
  });

  it.each<[mode: string, given: (id: string) => string]>([
    ['list', (id) => id],
    ['id', (id) => ` ${id} `],
    ['id', (id) => `https://acme.neetoform.com/forms/${id}/build`],
    ['url', (id) => `https://acme.neetoform.com/forms/${id}/build`],
    ['url', (id) => id],
  ])('works when the form is given in mode %s', async (mode, given) => {
    const form = harness.emulator.workspace.addForm({ title: 'Contact', questions: [{ label: 'Name', slug: 'name' }] });
    expect(await harness.options('getQuestions', locator(mode, given(form.id)))).toEqual([
      { name: 'Name', value: 'name' },
    ]);
  });

  it('adds the number on the form where labels are equal, and shows the slug where there is no label', async () => {
    const form = harness.emulator.workspace.addForm({
      title: 'Contact',
      questions: [
        { label: 'Name', slug: 'name' },
        { label: ' ', slug: 'blank' },
        { label: 'Name', slug: 'name-2' },
      ],
    });
    const shown = await harness.options('getQuestions', locator('list', form.id));
    expect(shown).toEqual([
      { name: 'Name (question 1)', value: 'name' },
      { name: 'blank', value: 'blank' },
      { name: 'Name (question 3)', value: 'name-2' },
    ]);
  });

  it('offers a question without a slug by its label', async () => {
    const { workspace } = harness.emulator;
    const form = workspace.addForm({ title: 'Contact', questions: [{ label: 'Name', slug: '' }, { label: 'Age' }] });
    const [first] = await harness.options('getQuestions', locator('list', form.id));
    expect(first).toEqual({ name: 'Name', value: 'Name' });
  });

  it.each([
    ['list', ''],
    ['id', '..'],
    ['url', 'https://acme.neetoform.com/forms'],
    ['id', null],
  ])('says to choose a form when there is none (%s %j), without a request', async (mode, value) => {
    await expect(harness.options('getQuestions', locator(mode, value))).rejects.toMatchObject({
      message: "Choose a form in 'Form' to see its questions",
      description: anyText(/expression/),
    });
    expect(harness.requests()).toEqual([]);
  });

  it('names a form that does not exist', async () => {
    await expect(harness.options('getQuestions', locator('id', 'no-such-form'))).rejects.toMatchObject({
      httpCode: '404',
      description: anyText(/no-such-form/),
    });
  });
});

describe('a field that n8n fills in one piece', () => {
  const parameters = { formId: 'some-form' };

  it.each(['getForms', 'getRoles', 'getQuestions'] as const)('says that the key is wrong (%s)', async (method) => {
    harness.emulator.fail({ with: { status: 401, body: { error: 'Could not authenticate, invalid API Key' } } });
    await expect(harness.options(method, { parameters })).rejects.toMatchObject({
      message: 'Could not authenticate, invalid API Key',
      description: anyText(/'API Key'/),
    });
  });

  useFastClock(20);

  it('says that there is no server', async () => {
    await harness.emulator.close();
    await expect(harness.options('getQuestions', { parameters })).rejects.toMatchObject({
      message: anyText(/connection/),
      description: anyText(/ECONNREFUSED/),
    });
  });
});

describe.each<[Method, (count: number) => unknown]>([
  ['searchForms', (count) => addForms(harness.emulator, count)],
  ['searchTeamMembers', (count) => addMembers(harness.emulator, count - 1)],
])('%s of a service that deviates from its description', (method, fill) => {
  beforeEach(() => {
    harness.allowUndocumented();
    fill(230);
  });

  it.each([
    ['that puts at most 50 rows on a page', { pageSizeCap: 50 }],
    ['that does not know the page size', { ignorePageSize: true }],
    ['that tells no totals', { noPagination: true }],
    ['that tells no totals and puts at most 50 rows on a page', { noPagination: true, pageSizeCap: 50 }],
    ['that gives everything at once', { ignorePaging: true }],
    ['that gives everything at once and tells no totals', { ignorePaging: true, noPagination: true }],
  ])('%s shows every row once', async (_what, quirks) => {
    Object.assign(harness.emulator.quirks, quirks);
    const shown = await scroll(method);
    expect(new Set(shown.map(({ value }) => value)).size).toBe(230);
    expect(shown).toHaveLength(230);
  });

  it.each([{ ignorePage: true }, { ignorePage: true, noPagination: true }])(
    'that returns the same page for every number (%p) ends',
    async (quirks) => {
      Object.assign(harness.emulator.quirks, quirks);
      const shown = await scroll(method);
      expect(shown).toHaveLength(100);
      expect(harness.requests().length).toBeLessThanOrEqual(3);
    },
  );
});

describe.each<Method>(['searchForms', 'searchTeamMembers'])('%s, when the service cannot answer', (method) => {
  it.each<[effect: FaultEffect, message: string | RegExp, description: RegExp]>([
    [
      { status: 401, body: { error: 'Could not authenticate, invalid API Key' } },
      'Could not authenticate, invalid API Key',
      /'API Key'/,
    ],
    [{ status: 403, body: { error: 'Not authorized' } }, 'Not authorized', /role/],
    [{ status: 404, body: '<html>' }, 'The service does not know this address', /'Subdomain'.*'Base URL'/],
    [
      { status: 302, headers: { location: 'https://elsewhere.example.com' } },
      /elsewhere\.example\.com, which was not followed/,
      /'Subdomain'.*'Base URL'/,
    ],
    [{ status: 200, body: '<html>' }, /web page/, /'Subdomain'.*'Base URL'/],
    [{ status: 200, body: { rows: [] } }, /there is no list of/, /Update/],
    [{ status: 429, headers: { 'Retry-After': '60' } }, /limiting the rate/, /later/],
  ])('says why: %j', async (effect, message, description) => {
    harness.allowUndocumented();
    harness.emulator.fail({ with: effect });
    await expect(harness.list(method)).rejects.toMatchObject({
      message: anyText(new RegExp(message)),
      description: anyText(description),
    });
    expect(harness.requests()).toHaveLength(1);
  });

  it('repeats a request when the service is busy for a moment', async () => {
    harness.emulator.fail({ with: { status: 503, headers: { 'Retry-After': '0' }, body: { error: 'Busy' } } });
    await expect(harness.list(method)).resolves.toMatchObject({
      results: range(method === 'searchForms' ? 0 : 1).map(() => ({ name: anyText() })),
    });
    expect(harness.requests()).toHaveLength(2);
  });

  it('does not wait longer than a user would', async () => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 429, headers: { 'Retry-After': '11' } } });
    const begun = Date.now();
    await expect(harness.list(method)).rejects.toMatchObject({ httpCode: '429' });
    expect(Date.now() - begun).toBeLessThan(5_000);
  });
});
