import { addForms, addMembers, addSubmissions, anyText, jsons, useHarness } from '../support/harness';
import { ID, OPERATIONS } from '../support/operations';

const harness = useHarness();

/** Every operation with an ID in its path: what stands before and after the ID. */
const operations = OPERATIONS.flatMap(({ title, method, path, parameters, idParameter }) => {
  const [before = '', after = ''] = path.split(ID);
  return idParameter === undefined ? [] : [{ title, method, before, after, parameters, idParameter }];
});

const hostile = [
  'a/b',
  '../team-members/x',
  '..%2fteam-members%2fx',
  '/',
  '//',
  '\\..\\x',
  '%2e%2e',
  '%2E%2E/',
  '%',
  'a%00b',
  '...',
  '.hidden',
  'two words',
  'x\ty',
  'żółć-日本語-🦊',
  '?x=1',
  'x?page=2&y',
  '#f',
  'x#f',
  'a&b=c',
  'a+b',
  ';a=b',
  "'",
  '"',
  '<b>',
  '{{ 1 }}',
  '@evil.com',
  ':443',
  '__proto__',
  'undefined',
  'submissions',
  '*',
  '0',
  'http:',
  '=1',
];

const refused: Array<[id: unknown, wrong: string]> = [
  ['.', 'is not an ID'],
  ['..', 'is not an ID'],
  [' .. ', 'is not an ID'],
  [true, 'is not an ID'],
  [{}, 'is not an ID'],
  [['x'], 'is not an ID'],
  ['\ud800', 'is not an ID'],
  ['x\udc00', 'is not an ID'],
  ['', 'is empty'],
  ['   ', 'is empty'],
  ['\t\n', 'is empty'],
  ['\u00a0\u3000', 'is empty'],
  [null, 'is empty'],
  [undefined, 'is empty'],
];

describe.each(operations)('$title', ({ method, before, after, parameters, idParameter }) => {
  const tryAll = async (ids: unknown[]) =>
    await harness.run(
      { ...parameters, [idParameter]: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
      { items: ids.map((id) => ({ id })), continueOnFail: true },
    );

  it('sends a hostile ID as one encoded segment of the path, and nothing of it elsewhere', async () => {
    await tryAll(hostile);
    const segments = harness.emulator.requests.map(({ path }) => path.slice(before.length, path.length - after.length));
    expect(harness.emulator.requests.map(({ path }) => path)).toEqual(
      segments.map((segment) => before + segment + after),
    );
    expect(segments.filter((segment) => !/^(?:[\w.!~*'()-]|%[0-9A-F]{2})+$/.test(segment))).toEqual([]);
    expect(segments.map(decodeURIComponent).sort()).toEqual([...hostile].sort());
    expect(
      harness.emulator.requests.filter(({ query }) =>
        Object.keys(query).some((name) => !['order', 'page', 'page_size'].includes(name)),
      ),
    ).toEqual([]);
    expect(new Set(harness.emulator.requests.map((request) => request.method))).toEqual(new Set([method]));
  });

  it('names the ID that was not found, in the description', async () => {
    const items = await tryAll(hostile);
    expect(items.map(({ error }) => error?.message)).toEqual(
      hostile.map(() => anyText(/^(?:Form|Team member) not found$/)),
    );
    expect(items.map(({ error }) => error?.description)).toEqual(
      hostile.map((id) => expect.stringContaining(`has the ID '${id}'.`) as unknown),
    );
  });

  it('refuses what is no ID without a request, and says what to enter', async () => {
    const items = await tryAll(refused.map(([id]) => id));
    expect(items.map(({ error }) => error?.message)).toEqual(
      refused.map(([, wrong]) => anyText(new RegExp(`^'(?:Form|Team Member)' ${wrong}$`))),
    );
    expect(items.map(({ error }) => error?.description)).toEqual(
      refused.map(() => anyText(/from the list, or enter its ID/)),
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(refused.map((_, item) => ({ item })));
    expect(harness.requests()).toEqual([]);
  });

  it('does without the blanks around an ID that was pasted, and takes a number for an ID', async () => {
    await tryAll([' \tabc 1\n', 42]);
    expect(harness.emulator.requests.map(({ path }) => path).sort()).toEqual([
      `${before}42${after}`,
      `${before}abc%201${after}`,
    ]);
  });
});

describe('the form field', () => {
  const get = (formId: unknown) => ({ resource: 'form', operation: 'get', formId });
  const titleOf = async (formId: unknown, json = {}) =>
    jsons(await harness.run(get(formId), { items: [json] })).map(({ title }) => title);

  it.each(['list', 'id', 'url'])('takes an ID in mode %s', async (mode) => {
    const [form] = addForms(harness.emulator, 1);
    expect(await titleOf({ __rl: true, mode, value: form?.id })).toEqual(['Form 1']);
  });

  it('takes a bare ID, as an agent gives it', async () => {
    const [form] = addForms(harness.emulator, 1);
    expect(await titleOf(form?.id)).toEqual(['Form 1']);
    expect(await titleOf('={{ $json.id }}', { id: form?.id })).toEqual(['Form 1']);
  });

  it.each([
    (id: string) => `https://acme.neetoform.com/${id}`,
    (id: string) => `https://acme.neetoform.com/forms/${id}`,
    (id: string) => `https://acme.neetoform.com/admin/forms/${id}/submissions?page=2#top`,
    (id: string) => `https://acme.neetoform.com/forms/${id}/submissions/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa`,
    (id: string) => `https://acme.neetoform.com/forms/${id}?next=/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa`,
    (id: string) => `http://127.0.0.1:4010/forms/${id}/attempt`,
    (id: string) => `https://acme.neetoform.com/forms/${id}#x`,
  ])('finds the ID in an address, typed in or from an expression (%#)', async (address) => {
    const [form] = addForms(harness.emulator, 1);
    const url = address(form?.id ?? '');
    expect(await titleOf({ __rl: true, mode: 'url', value: url })).toEqual(['Form 1']);
    expect(await titleOf({ __rl: true, mode: 'url', value: '={{ $json.url }}' }, { url })).toEqual(['Form 1']);
    expect(harness.requests()).toEqual([`GET /v2/forms/${form?.id}`, `GET /v2/forms/${form?.id}`]);
  });

  it('finds the ID in the addresses that the service returns', async () => {
    const [form] = addForms(harness.emulator, 1);
    const [item] = await harness.run(get(form?.id));
    expect(await titleOf({ __rl: true, mode: 'url', value: item?.json.attempt_url })).toEqual(['Form 1']);
  });

  it.each([
    'https://acme.neetoform.com',
    'https://acme.neetoform.com/contact-us',
    'https://acme.neetoform.com/forms/2d1f0c4e-8b7a-4c39-9a53',
    'https://acme.neetoform.com/forms/2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20b',
    'https://acme.neetoform.com/?form=2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20',
    'https://2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20.example.com/x',
  ])('says that no ID can be read from %s, and asks nothing', async (url) => {
    for (const value of [url, '={{ $json.url }}']) {
      const { message, description } = await harness.fail(get({ __rl: true, mode: 'url', value }), {
        items: [{ url }],
      });
      expect(message).toBe("'Form' is an address from which no ID can be read");
      expect(description).toContain('from the list');
    }
    expect(harness.requests()).toEqual([]);
  });

  it.each(['={{ $json.missing }}', '={{ null }}'])(
    'names Form in an error item linked to its input when an address gives nothing: %p',
    async (value) => {
      const [form] = addForms(harness.emulator, 1);
      const url = `https://acme.neetoform.com/forms/${form?.id}`;
      const items = await harness.run(
        get({ __rl: true, mode: 'url', value: `={{ $json.url ?? ${value.slice(4, -3)} }}` }),
        {
          items: [{ url }, {}, { url }],
          continueOnFail: true,
        },
      );
      expect(items.map(({ json, pairedItem }) => [json.title ?? json.error, pairedItem])).toEqual([
        ['Form 1', { item: 0 }],
        ["'Form' is empty", { item: 1 }],
        ['Form 1', { item: 2 }],
      ]);
    },
  );

  it('finds the ID in an address in every mode', async () => {
    const [form] = addForms(harness.emulator, 1);
    const value = ` https://acme.neetoform.com/admin/forms/${form?.id}?x=1 `;
    for (const mode of ['list', 'id', 'url']) expect(await titleOf({ __rl: true, mode, value })).toEqual(['Form 1']);
    expect(await titleOf(value)).toEqual(['Form 1']);
  });

  it.each(['', '={{ "" }}'])('says that an empty address, %p, is empty', async (value) => {
    await expect(harness.fail(get({ __rl: true, mode: 'url', value }))).resolves.toMatchObject({
      message: "'Form' is empty",
    });
  });

  it('gives the form of each item', async () => {
    const forms = addForms(harness.emulator, 3);
    const items = await harness.run(
      get({ __rl: true, mode: 'url', value: '=https://acme.neetoform.com/forms/{{ $json.id }}' }),
      { items: forms.map(({ id }) => ({ id })) },
    );
    expect(items.map(({ json, pairedItem }) => [json.title, pairedItem])).toEqual([
      ['Form 1', { item: 0 }],
      ['Form 2', { item: 1 }],
      ['Form 3', { item: 2 }],
    ]);
  });

  it('names the form in the items of its submissions by the ID in the address', async () => {
    const [form] = addForms(harness.emulator, 1);
    if (form) addSubmissions(harness.emulator, form, 1);
    const [item] = await harness.run({
      resource: 'submission',
      operation: 'getAll',
      formId: { __rl: true, mode: 'url', value: `https://acme.neetoform.com/forms/${form?.id}/edit` },
    });
    expect(item?.json.form_id).toBe(form?.id);
  });
});

describe('the team member field', () => {
  const get = (teamMemberId: unknown) => ({ resource: 'teamMember', operation: 'get', teamMemberId });
  const byEmail = (value: unknown) => get({ __rl: true, mode: 'email', value });

  it.each(['member7@example.com', ' MEMBER7@Example.com ', '={{ $json.email }}'])(
    'finds the member by the address %p, through the filter of the list',
    async (value) => {
      addMembers(harness.emulator, 150);
      const [item] = await harness.run(byEmail(value), { items: [{ email: 'member7@example.com' }] });
      expect(item?.json.email).toBe('member7@example.com');
      const [lookup, ...others] = harness.emulator.requests;
      expect(lookup).toMatchObject({
        method: 'GET',
        path: '/api/external/v2/team-members',
        query: { email: anyText(/^member7@example\.com$/i), page_number: '1', page_size: '100' },
      });
      expect(others).toHaveLength(1);
    },
  );

  it.each(['list', 'id', 'email'])('understands an address, an ID and a link in mode %s', async (mode) => {
    const [admin] = harness.emulator.workspace.members;
    for (const value of [admin?.email, admin?.id, `https://acme.neetoform.com/team/${admin?.id}/edit`]) {
      const [item] = await harness.run(get({ __rl: true, mode, value }));
      expect(item?.json.email).toBe('admin@example.com');
    }
  });

  it('finds the member also on a service that ignores the filter', async () => {
    addMembers(harness.emulator, 150);
    harness.allowUndocumented();
    harness.emulator.onRequest(({ query, path }) => {
      if (query['email'] === undefined || !path.endsWith('/team-members')) return;
      const page = Number(query['page_number']);
      const rows = harness.emulator.workspace.members
        .slice((page - 1) * 100, page * 100)
        .map(({ id, email, active }) => ({ id, email, active }));
      harness.emulator.fail({
        with: { status: 200, body: { team_members: rows, pagination: { total_records: 151 } } },
      });
    });
    const [item] = await harness.run(byEmail('member120@example.com'));
    expect(item?.json.email).toBe('member120@example.com');
  });

  it('prefers the active one of two members with one address', async () => {
    const input = { email: 'jane@example.com', createdAt: 0 };
    harness.emulator.workspace.addMember({ ...input, active: false });
    const { id } = harness.emulator.workspace.addMember(input);
    const [item] = await harness.run(byEmail('jane@example.com'));
    expect(item?.json.id).toBe(id);
  });

  it('says when nobody has the address, and when the member is inactive', async () => {
    harness.emulator.workspace.addMember({ email: 'gone@example.com', active: false });
    await expect(harness.fail(byEmail('nobody@example.com'))).resolves.toMatchObject({
      message: "'Team Member' is not in this workspace: nobody@example.com",
      description: anyText(/^No team member has this email address\./),
    });
    await expect(harness.fail(byEmail('gone@example.com'))).resolves.toMatchObject({
      message: "'Team Member' is inactive: gone@example.com",
      description: anyText(/^Only active team members can be found\./),
    });
  });

  it.each([
    ['nobody', "'Team Member' is not an email address: nobody"],
    ['', "'Team Member' is empty"],
    ['={{ $json.missing }}', "'Team Member' is empty"],
    ['={{ ["admin@example.com"] }}', `'Team Member' is not an email address: ["admin@example.com"]`],
  ])('refuses %p as an address, without a request', async (value, message) => {
    const [item] = await harness.run(byEmail(value), { continueOnFail: true });
    expect(item).toMatchObject({ json: { error: message }, pairedItem: { item: 0 } });
    expect(harness.requests()).toEqual([]);
  });

  it('removes and updates by address', async () => {
    addMembers(harness.emulator, 2);
    const [first, second] = ['member1@example.com', 'member2@example.com'].map((email) =>
      harness.emulator.workspace.team.byEmail(email),
    );
    const by = (value: string) => ({ teamMemberId: { __rl: true, mode: 'email', value } });
    const removed = await harness.run({ resource: 'teamMember', operation: 'remove', ...by('member1@example.com') });
    expect(jsons(removed)).toEqual([{ deleted: true, id: first?.id }]);
    await harness.run({
      resource: 'teamMember',
      operation: 'update',
      updateFields: { firstName: 'Jane' },
      ...by('member2@example.com'),
    });
    expect(
      harness.emulator.requests.map(({ method, path, query, body }) => [method, path.split('/').at(-1), query, body]),
    ).toEqual([
      ['GET', 'team-members', expect.objectContaining({ email: 'member1@example.com' }), undefined],
      ['DELETE', first?.id, {}, undefined],
      ['GET', 'team-members', expect.objectContaining({ email: 'member2@example.com' }), undefined],
      ['PATCH', second?.id, {}, { first_name: 'Jane' }],
    ]);
  });

  it.each(['list', 'id'])('takes an ID in mode %s, or bare', async (mode) => {
    const [admin] = harness.emulator.workspace.members;
    for (const teamMemberId of [{ __rl: true, mode, value: admin?.id }, admin?.id]) {
      const [item] = await harness.run({ resource: 'teamMember', operation: 'get', teamMemberId });
      expect(item?.json.email).toBe('admin@example.com');
    }
  });
});
