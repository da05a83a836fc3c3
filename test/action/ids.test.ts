import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { addForms, addMembers, anyText, jsons, range, useHarness } from '../support/harness';
import { ID, OPERATIONS } from '../support/operations';
import { words } from '../support/words';

const harness = useHarness();

const operations = OPERATIONS.flatMap(({ title, method, path, parameters, idParameter }) => {
  const [before = '', after = ''] = path.split(ID);
  return idParameter === undefined ? [] : [{ title, method, before, after, parameters, idParameter }];
});

const hostile = [
  ...words(String.raw`
    a/b ../team-members/x ..%2fteam-members%2fx // \..\x %2e%2e % a%00b ... żółć-日本語-🦊 x?page=2&y x#f ;a=b ' "
    @evil.com :443 __proto__ http: =1`),
  ...['two words', 'x\ty', '{{ 1 }}'],
];

/** What was requested, but for the titles of forms: an ID that is no UUID may be one. */
const requested = () =>
  harness.emulator.requests.filter(({ method, path }) => `${method} ${path}` !== 'GET /api/external/v2/forms');

it.each(operations)('$title sends a hostile ID as one encoded segment of the path', async (operation) => {
  const { before, after, method, parameters, idParameter } = operation;
  const byId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
  const ids = hostile.map((id) => ({ id }));
  const items = await harness.run({ ...parameters, [idParameter]: byId }, { items: ids, continueOnFail: true });
  const paths = requested().map(({ path }) => path);
  const segments = paths.map((path) => path.slice(before.length, path.length - after.length));
  expect(paths).toEqual(segments.map((segment) => before + segment + after));
  expect(segments.filter((segment) => !/^(?:[\w.!~*'()-]|%[0-9A-F]{2})+$/.test(segment))).toEqual([]);
  expect(segments.map(decodeURIComponent).sort()).toEqual(hostile.toSorted());
  const names = requested().flatMap(({ query }) => Object.keys(query));
  expect(names.filter((name) => !['order', 'page', 'page_size'].includes(name))).toEqual([]);
  expect(new Set(requested().map((request) => request.method))).toEqual(new Set([method]));
  // Each error names its ID.
  expect(items.map(({ error }) => [error?.message, error?.description])).toEqual(
    hostile.map((id) => [
      expect.stringMatching(/^(?:Form does not exist|Team member not found): /) as unknown,
      expect.stringContaining(` '${id}'.`) as unknown,
    ]),
  );
});

it("the trigger's form field takes and promises no title: it would come to mean another form", async () => {
  const [form] = addForms(harness.emulator, 1);
  for (const mode of ['list', 'url', 'id']) {
    const fetchTestEvent = async (value: unknown) =>
      await harness.fetchTestEvent({ triggerOn: 'one', formId: { __rl: true, mode, value } });
    expect(await fetchTestEvent(`https://acme.neetoform.com/${form?.id}/edit`)).toHaveLength(1);
    await expect(fetchTestEvent('={{ undefined }}')).rejects.toThrow("'Form' is empty");
    await expect(fetchTestEvent(form?.title)).rejects.toThrow('Form does not exist');
  }
  expect(harness.requests().filter((request) => request.startsWith('GET /v2/forms?'))).toEqual([]);
  const fields = new NeetoFormTrigger().description.properties.filter(({ name }) => name.startsWith('formId'));
  expect(JSON.stringify(fields)).not.toMatch(/title/i);
});

describe('a form by its title', () => {
  const get = (value: unknown, mode = 'id') => ({
    resource: 'form',
    operation: 'get',
    formId: mode === '' ? value : { __rl: true, mode, value },
  });
  const lookUp = 'GET /v2/forms?order=desc&page=1&page_size=100';
  const add = (id: string, title: string) => harness.emulator.workspace.addForm({ id, title });

  it('is the one form that has exactly this title, in any case, in every mode and without one', async () => {
    const { id } = add(ID, 'Contact  us');
    add('other', 'Contact us today');
    for (const mode of ['id', 'url', '']) {
      expect(jsons(await harness.run(get(' CONTACT us ', mode)))).toMatchObject([{ id }]);
      expect(harness.requests().slice(-2)).toEqual([lookUp, `GET /v2/forms/${id}`]);
    }
    expect((await harness.fail(get('Contact us', 'list'))).message).toBe('Form does not exist: Contact us');
    expect(harness.requests().at(-2)).not.toBe(lookUp);
  });

  it('is looked up once per execution, and never for a UUID, an address, a number or an ID that a form has', async () => {
    const [first, second] = [add('own-id', 'Contact us'), add(ID, 'own-id')];
    const address = `https://acme.neetoform.com/admin/forms/${second.id}?x=1`;
    const items = await harness.run(get('={{ $json.form }}', ''), {
      items: ['Contact us', 'contact US', 'own-id', address, 42].map((each) => ({ form: each })),
      continueOnFail: true,
    });
    expect(items.map(({ json }) => json.id)).toEqual([first.id, first.id, first.id, second.id, undefined]);
    expect(harness.requests().filter((request) => request === lookUp)).toHaveLength(1);
    for (const value of [second.id, address]) await harness.run(get(value));
    await harness.fail(get(42));
    expect(harness.requests().filter((request) => request === lookUp)).toHaveLength(1);
  });

  it('that several forms have is refused, with up to five of them and their IDs', async () => {
    for (const index of range(6))
      harness.emulator.workspace.addForm({ id: `form-${index}`, title: 'Survey', createdAt: index });
    const { message, description } = await harness.fail(get('survey'));
    const ids = [5, 4, 3, 2, 1].map((index) => `Survey (form-${index})`);
    expect(message).toBe(`'Form' names several forms: ${ids.join(', ')}, …`);
    expect(description).toBe('Enter the ID of one of them.');
  });

  it('that no form has is sent as an ID, and not found with the titles that are near, said once, and their IDs', async () => {
    for (const title of words('Jobs Contact Contact-us Contact-1 Contact-2 Contact-3 Contact-4 Vacation-days'))
      add(`id-${title}`, title);
    const { message, description } = await harness.fail(get('Contcat us'));
    expect(message).toBe('Form does not exist: Contcat us');
    expect(description).toMatch(
      /with the ID or title 'Contcat us'.* The nearest titles are: Contact-us \(id-Contact-us\), Contact \(id-Contact\)(, Contact-\d \(id-Contact-\d\)){3}\.$/,
    );
    const asTool = await harness.fail(get('Contcat us'), { asTool: true });
    expect(asTool.message).toContain('Contact-us (id-Contact-us)');
    expect(asTool.description).not.toContain('id-Contact-us');
    // A few pairs of letters are in `Contact` and `Vacation`, too.
    for (const other of ['Nope', 'Statistics'])
      expect((await harness.fail(get(other))).description).not.toContain('nearest');
    expect(harness.requests()).toContain('GET /v2/forms/Contcat%20us');
  });

  it('is sent as an ID when the API key may not list forms, and not when the list fails', async () => {
    add('own-id', 'Contact us');
    const when = { path: /\/forms$/ };
    harness.emulator.fail({ when, with: { status: 403, body: { error: 'No.' } } });
    expect(jsons(await harness.run(get('own-id')))).toMatchObject([{ id: 'own-id' }]);
    harness.emulator.fail({ when, with: { status: 401, body: { error: 'Wrong key' } } });
    expect((await harness.fail(get('own-id'))).message).toBe('Wrong key');
  });
});

describe('the team member field', () => {
  const get = (teamMemberId: unknown) => ({ resource: 'teamMember', operation: 'get', teamMemberId });
  const byEmail = (value: unknown) => get({ __rl: true, mode: 'email', value });
  const found = async (parameters: ReturnType<typeof get>) => jsons(await harness.run(parameters))[0];

  it('finds the member by the address, through the filter of the list, though that finds others too', async () => {
    addMembers(harness.emulator, 150);
    harness.emulator.fail({
      with: {
        rewrite: ({ team_members = [] }) => ({
          total_count: 2 * team_members.length,
          team_members: team_members.flatMap((member) => [{ ...member, id: 'x', email: 'x@example.com' }, member]),
        }),
      },
    });
    expect(await found(byEmail(' MEMBER7@Example.com '))).toMatchObject({ email: 'member7@example.com' });
    const lookup = 'GET /v2/team-members?email=MEMBER7@Example.com&page_number=1&page_size=100';
    expect(harness.requests()).toEqual([lookup, anyText(/^GET .v2.team-members.[^?]+$/)]);
  });

  it('accepts an email address, an ID and a link in every mode, and without a mode', async () => {
    const [{ id, email } = { id: '', email: '' }] = harness.emulator.workspace.members;
    for (const value of [email, id, `https://acme.neetoform.com/team/${id}/edit`]) {
      for (const mode of ['list', 'id', 'email'])
        expect(await found(get({ __rl: true, mode, value }))).toMatchObject({ email });
    }
    expect(await found(get(id))).toMatchObject({ email });
  });

  it('prefers the active one of two members with one address, and takes neither of two active ones', async () => {
    const add = (email: string, active: boolean) =>
      harness.emulator.workspace.addMember({ email, active, createdAt: 0 });
    add('jane@example.com', false);
    const { id } = add('jane@example.com', true);
    expect(await found(byEmail('jane@example.com'))).toMatchObject({ id });
    const other = add('Jane@Example.com', true);
    const message = `'Team Member' names several members: ${id}, ${other.id}`;
    const description = 'Enter the ID of one of them.';
    expect(await harness.fail(byEmail('jane@example.com'))).toMatchObject({ message, description });
  });

  it.each([
    ['nobody@example.com', 'not in this workspace', /^No team member has this email/],
    ['gone@example.com', 'inactive', /^Only active team members can be found\./],
  ])('says when no member has the address, or only an inactive one: %s is %s', async (email, problem, description) => {
    harness.emulator.workspace.addMember({ email: 'gone@example.com', active: false });
    const message = `'Team Member' is ${problem}: ${email}`;
    expect(await harness.fail(byEmail(email))).toMatchObject({ message, description: anyText(description) });
  });
});
