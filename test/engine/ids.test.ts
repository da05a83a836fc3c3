import { addForms, addSubmissions, anyText, jsons, useBench, type Parameters } from '../support/bench';

const bench = useBench();

interface ByIdOperation {
  title: string;
  method: string;
  /** What stands before and after the ID in the path. */
  before: string;
  after: string;
  parameters: (id: unknown) => Parameters;
}

const byId =
  (resource: string, operation: string, idField: string, more = {}) =>
  (value: unknown) => ({ resource, operation, [idField]: { __rl: true, mode: 'id', value }, ...more });

const operations: ByIdOperation[] = [
  {
    title: 'form: get',
    method: 'GET',
    before: '/api/external/v2/forms/',
    after: '',
    parameters: byId('form', 'get', 'formId'),
  },
  {
    title: 'submission: getAll',
    method: 'GET',
    before: '/api/external/v2/forms/',
    after: '/submissions',
    parameters: byId('submission', 'getAll', 'formId', { output: 'raw' }),
  },
  {
    title: 'teamMember: get',
    method: 'GET',
    before: '/api/external/v2/team-members/',
    after: '',
    parameters: byId('teamMember', 'get', 'teamMemberId'),
  },
  {
    title: 'teamMember: update',
    method: 'PATCH',
    before: '/api/external/v2/team-members/',
    after: '',
    parameters: byId('teamMember', 'update', 'teamMemberId', { updateFields: { firstName: 'Eve' } }),
  },
  {
    title: 'teamMember: remove',
    method: 'DELETE',
    before: '/api/external/v2/team-members/',
    after: '',
    parameters: byId('teamMember', 'remove', 'teamMemberId'),
  },
];

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

describe.each(operations)('$title', ({ method, before, after, parameters }) => {
  const tryAll = async (ids: unknown[]) =>
    await bench.run(parameters('={{ $json.id }}'), { items: ids.map((id) => ({ id })), continueOnFail: true });

  it('sends a hostile ID as one encoded segment of the path, and nothing of it elsewhere', async () => {
    await tryAll(hostile);
    const segments = bench.emulator.requests.map(({ path }) => path.slice(before.length, path.length - after.length));
    expect(bench.emulator.requests.map(({ path }) => path)).toEqual(
      segments.map((segment) => before + segment + after),
    );
    expect(segments.filter((segment) => !/^(?:[\w.!~*'()-]|%[0-9A-F]{2})+$/.test(segment))).toEqual([]);
    expect(segments.map(decodeURIComponent).sort()).toEqual([...hostile].sort());
    expect(
      bench.emulator.requests.filter(({ query }) =>
        Object.keys(query).some((name) => !['order', 'page', 'page_size'].includes(name)),
      ),
    ).toEqual([]);
    expect(new Set(bench.emulator.requests.map((request) => request.method))).toEqual(new Set([method]));
  });

  it('names the ID that was not found', async () => {
    const items = await tryAll(hostile);
    const opening = /^(?:Form does not exist: 'Form'|Team member not found: 'Team Member') is /;
    expect(items.map(({ error }) => error?.message.replace(opening, ''))).toEqual(hostile);
    expect(items.map(({ error }) => error?.description)).toEqual(
      hostile.map((id) => expect.stringContaining(`has the ID '${id}'.`) as unknown),
    );
  });

  it('refuses what is no ID without a request, and says how to mend it', async () => {
    const items = await tryAll(refused.map(([id]) => id));
    expect(items.map(({ error }) => error?.message)).toEqual(
      refused.map(([, wrong]) => anyText(new RegExp(`^'(?:Form|Team Member)' ${wrong}$`))),
    );
    expect(items.map(({ error }) => error?.description)).toEqual(
      refused.map(() => anyText(/from the list, or enter its ID/)),
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(refused.map((_, item) => ({ item })));
    expect(bench.asked()).toEqual([]);
  });

  it('does without the blanks around an ID that was pasted, and takes a number for an ID', async () => {
    await tryAll([' \tabc 1\n', 42]);
    expect(bench.emulator.requests.map(({ path }) => path).sort()).toEqual([
      `${before}42${after}`,
      `${before}abc%201${after}`,
    ]);
  });
});

describe('the form field', () => {
  const get = (formId: unknown) => ({ resource: 'form', operation: 'get', formId });
  const titleOf = async (formId: unknown, json = {}) =>
    jsons(await bench.run(get(formId), { items: [json] })).map(({ title }) => title);

  it.each(['list', 'id', 'url'])('takes an ID in mode %s', async (mode) => {
    const [form] = addForms(bench.emulator, 1);
    expect(await titleOf({ __rl: true, mode, value: form?.id })).toEqual(['Form 1']);
  });

  it('takes a bare ID, as an agent gives it', async () => {
    const [form] = addForms(bench.emulator, 1);
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
    const [form] = addForms(bench.emulator, 1);
    const url = address(form?.id ?? '');
    expect(await titleOf({ __rl: true, mode: 'url', value: url })).toEqual(['Form 1']);
    expect(await titleOf({ __rl: true, mode: 'url', value: '={{ $json.url }}' }, { url })).toEqual(['Form 1']);
    expect(bench.asked()).toEqual([`GET /v2/forms/${form?.id}`, `GET /v2/forms/${form?.id}`]);
  });

  it('finds the ID in the addresses that the service hands out', async () => {
    const [form] = addForms(bench.emulator, 1);
    const [item] = await bench.run(get(form?.id));
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
      const { message, description } = await bench.fail(get({ __rl: true, mode: 'url', value }), { items: [{ url }] });
      expect(message).toBe("'Form' is an address from which no ID can be read");
      expect(description).toContain('from the list');
    }
    expect(bench.asked()).toEqual([]);
  });

  it.each(['', '={{ "" }}'])('says that an empty address, %p, is empty', async (value) => {
    await expect(bench.fail(get({ __rl: true, mode: 'url', value }))).resolves.toMatchObject({
      message: "'Form' is empty",
    });
  });

  it('gives the form of each item', async () => {
    const forms = addForms(bench.emulator, 3);
    const items = await bench.run(
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
    const [form] = addForms(bench.emulator, 1);
    if (form) addSubmissions(bench.emulator, form, 1);
    const [item] = await bench.run({
      resource: 'submission',
      operation: 'getAll',
      formId: { __rl: true, mode: 'url', value: `https://acme.neetoform.com/forms/${form?.id}/edit` },
    });
    expect(item?.json.form_id).toBe(form?.id);
  });
});

describe('the team member field', () => {
  it.each(['list', 'id'])('takes an ID in mode %s, or bare', async (mode) => {
    const [admin] = bench.emulator.workspace.members;
    for (const teamMemberId of [{ __rl: true, mode, value: admin?.id }, admin?.id]) {
      const [item] = await bench.run({ resource: 'teamMember', operation: 'get', teamMemberId });
      expect(item?.json.email).toBe('admin@example.com');
    }
  });
});
