import { addForms, jsons, useHarness } from '../support/harness';

const harness = useHarness();
const form = (operation: string, parameters = {}) => ({ resource: 'form', operation, ...parameters });
const titlesOf = (items: Array<{ json: { title?: unknown } }>) => items.map(({ json }) => json.title);

const title = 'Contact us';
const creator = 'admin@example.com';
const odd = ' ={"a"} <b>Ünï</b> \\ "quoted" ';
it.each([
  ['only the title, as it was written', { title: odd }, { title: odd }],
  [
    'the creator without blanks',
    { title, additionalFields: { createdByEmail: ` ${creator}` } },
    { title, created_by_email: creator },
  ],
  ['no empty creator', { title, additionalFields: { createdByEmail: '' } }, { title }],
])('form: create sends %s', async (_what, parameters, sent) => {
  const items = await harness.run(form('create', parameters));
  expect(harness.emulator.requests.map(({ body }) => body)).toEqual([{ form: sent }]);
  const json = { id: harness.emulator.workspace.forms[0]?.id, created_by: creator };
  expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
});

describe('form: getAll', () => {
  it('requests the forms of the filter Status', async () => {
    harness.emulator.workspace.addForm({ title: 'Plain' });
    harness.emulator.workspace.addForm({ title: 'Old', isArchived: true });
    const filters = { status: '={{ " Archived " }}' };
    expect(titlesOf(await harness.run(form('getAll', { filters })))).toEqual(['Old']);
    expect(harness.requests()).toEqual(['GET /v2/forms?status=archived&order=desc&page=1&page_size=100']);
  });

  it('has the same keys for each form, also where a value is null', async () => {
    addForms(harness.emulator, 1);
    const [simple = {}] = jsons(await harness.run(form('getAll')));
    const nothing = Object.fromEntries(Object.keys(simple).map((key) => [key, null]));
    const forms = [{ ...nothing, id: 'id' }];
    harness.emulator.fail({ with: { status: 200, body: { forms, total_count: 1 } } });
    expect(jsons(await harness.run(form('getAll')))).toEqual(forms);
  });

  it('returns all fields of each form without Simplify', async () => {
    addForms(harness.emulator, 1);
    const [simple = {}] = jsons(await harness.run(form('getAll')));
    expect(simple).not.toHaveProperty('is_disabled');
    const [whole] = jsons(await harness.run(form('getAll', { simple: '={{ "false" }}' })));
    expect(whole).toMatchObject({ ...simple, is_disabled: false, is_suspended: false });
  });
});

it('the search in titles finds those that have all the words, in any case and order', async () => {
  const surveys = ['Customer survey 2025', 'Über customer-SURVEYS'];
  ['CUSTOMER feedback', ...surveys, 'survey'].forEach((title, index) =>
    harness.emulator.workspace.addForm({ title, createdAt: index }),
  );
  const filters = { title: 'SURVEY customer' };
  const items = await harness.run(form('getAll', { filters, sort: { order: 'asc' }, returnAll: true }));
  expect(titlesOf(items)).toEqual(surveys);
  // The name of the service's own parameter is not known: the words are not sent.
  expect(harness.requests()).toEqual(['GET /v2/forms?order=asc&page=1&page_size=100']);
  // Who created a form is no part of its title.
  expect(await harness.run(form('getAll', { filters: { title: creator } }))).toEqual([]);
});
