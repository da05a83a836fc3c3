import { addForms, anyText, idsOf, jsons, range, useHarness } from '../support/harness';

const harness = useHarness();
const form = (operation: string, parameters = {}) => ({ resource: 'form', operation, ...parameters });

describe('form: create', () => {
  it('posts the title and gives the new form', async () => {
    const items = await harness.run(form('create', { title: 'Contact us' }));
    const [made] = harness.emulator.workspace.forms;
    expect(items).toEqual([
      {
        json: {
          id: made?.id,
          title: 'Contact us',
          is_published: false,
          state: 'draft',
          submissions_count: 0,
          created_by: 'admin@example.com',
          is_archived: false,
          is_disabled: false,
          is_suspended: false,
          created_at: anyText(),
          updated_at: anyText(),
          attempt_url: anyText(),
        },
        pairedItem: { item: 0 },
      },
    ]);
    expect(harness.emulator.requests).toMatchObject([
      { method: 'POST', path: '/api/external/v2/forms', query: {}, body: { form: { title: 'Contact us' } } },
    ]);
  });

  it.each(['', '={{ undefined }}', '={{ $json.creator }}'])(
    'leaves the creator out when the field is empty: %p',
    async (createdByEmail) => {
      await harness.run(form('create', { title: 'Contact us', createdByEmail }));
      expect(harness.emulator.requests[0]?.body).toEqual({ form: { title: 'Contact us' } });
    },
  );

  it('sends the creator when there is one', async () => {
    const [item] = await harness.run(form('create', { title: 'Contact us', createdByEmail: 'admin@example.com' }));
    expect(harness.emulator.requests[0]?.body).toEqual({
      form: { title: 'Contact us', created_by_email: 'admin@example.com' },
    });
    expect(item?.json.created_by).toBe('admin@example.com');
  });

  it('sends the creator without the blanks around the address', async () => {
    await harness.run(form('create', { title: 'Contact us', createdByEmail: ' admin@example.com' }));
    expect(harness.emulator.requests[0]?.body).toEqual({
      form: { title: 'Contact us', created_by_email: 'admin@example.com' },
    });
  });

  it.each(['', '   ', '={{ $json.title }}'])('refuses an empty title, %p, without a request', async (title) => {
    await expect(harness.fail(form('create', { title }))).resolves.toMatchObject({
      message: "'Title' is empty",
      description: anyText(/Nothing was sent/),
    });
    expect(harness.requests()).toEqual([]);
  });

  it.each(['nobody', 'a@b', 'a b@example.com', 'a@example.com, b@example.com', ' '])(
    'refuses a creator that is no address, %p, without a request',
    async (createdByEmail) => {
      const { message } = await harness.fail(form('create', { title: 'Contact us', createdByEmail }));
      expect(message).toContain(`'Created By Email'`);
      expect(message).toContain(createdByEmail.trim());
      expect(harness.requests()).toEqual([]);
    },
  );

  it('makes one form per input item, each linked to its item', async () => {
    const items = await harness.run(form('create', { title: '={{ $json.name }}' }), {
      items: [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }],
    });
    expect(items.map(({ json, pairedItem }) => [json.title, pairedItem])).toEqual([
      ['One', { item: 0 }],
      ['Two', { item: 1 }],
      ['Three', { item: 2 }],
    ]);
  });

  it('writes a number as a title', async () => {
    await harness.run(form('create', { title: '={{ $json.year }}' }), { items: [{ year: 2025 }] });
    expect(harness.emulator.requests[0]?.body).toEqual({ form: { title: '2025' } });
  });

  it('keeps a title as it was written', async () => {
    const title = ' ={"a"} <b>Ünï</b> \\ "quoted" ';
    await harness.run(form('create', { title }));
    expect(harness.emulator.requests[0]?.body).toEqual({ form: { title } });
  });
});

describe('form: get', () => {
  it('gives the form with its questions', async () => {
    const { id } = harness.emulator.workspace.addForm({
      title: 'Contact',
      questions: [
        { label: 'Name', isRequired: true },
        { label: 'Your message', kind: 'long_text' },
      ],
    });
    const items = await harness.run(form('get', { formId: { __rl: true, mode: 'id', value: id } }));
    expect(items).toMatchObject([
      {
        json: {
          id,
          title: 'Contact',
          questions: [
            { label: 'Name', slug: 'name', position: 1, is_required: true },
            { label: 'Your message', slug: 'your-message', position: 2, kind: 'long_text' },
          ],
        },
        pairedItem: { item: 0 },
      },
    ]);
    expect(harness.requests()).toEqual([`GET /v2/forms/${id}`]);
    expect(harness.emulator.requests[0]?.body).toBeUndefined();
  });

  it('reads a form for every input item', async () => {
    const forms = addForms(harness.emulator, 2);
    const items = await harness.run(form('get', { formId: '={{ $json.id }}' }), {
      items: [...forms].reverse().map(({ id }) => ({ id })),
    });
    expect(items.map(({ json, pairedItem }) => [json.title, pairedItem])).toEqual([
      ['Form 2', { item: 0 }],
      ['Form 1', { item: 1 }],
    ]);
  });
});

describe('form: getAll', () => {
  it('returns one item per form, newest first, with one request for a full page', async () => {
    const forms = addForms(harness.emulator, 3);
    const items = await harness.run(form('getAll'));
    expect(idsOf(items)).toEqual(forms.map(({ id }) => id).reverse());
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 0 }]);
    expect(harness.requests()).toEqual(['GET /v2/forms?order=desc&page=1&page_size=100']);
    expect(harness.emulator.requests[0]?.body).toBeUndefined();
  });

  it('is limited to 50 forms when nothing is said', async () => {
    addForms(harness.emulator, 60);
    expect(await harness.run(form('getAll'))).toHaveLength(50);
  });

  it('asks the service for the oldest first when Order says so', async () => {
    const forms = addForms(harness.emulator, 3);
    const items = await harness.run(form('getAll', { sort: { order: 'asc' } }));
    expect(idsOf(items)).toEqual(forms.map(({ id }) => id));
    expect(harness.requests()).toEqual(['GET /v2/forms?order=asc&page=1&page_size=100']);
  });

  it.each([
    ['active', ['Loved', 'Plain']],
    ['archived', ['Old']],
    ['favorite', ['Loved']],
  ])('asks the service for the forms that are %s', async (status, titles) => {
    addFormsOfEachStatus();
    const items = await harness.run(form('getAll', { filters: { status } }));
    expect(jsons(items).map(({ title }) => title)).toEqual(titles);
    expect(harness.requests()).toEqual([`GET /v2/forms?status=${status}&order=desc&page=1&page_size=100`]);
  });

  it.each([
    ['active', ['Loved', 'Plain']],
    ['archived', ['Old']],
  ])('returns only the forms that are %s when the service ignores the status', async (status, titles) => {
    addFormsOfEachStatus();
    harness.emulator.quirks.ignoreStatus = true;
    for (const more of [{ limit: 2 }, { returnAll: true }]) {
      const items = await harness.run(form('getAll', { filters: { status }, ...more }));
      expect(jsons(items).map(({ title }) => title)).toEqual(titles);
    }
  });

  it.each([' Archived ', '={{ "ARCHIVED" }}'])('understands the status %p', async (status) => {
    addFormsOfEachStatus();
    const items = await harness.run(form('getAll', { filters: { status } }));
    expect(jsons(items).map(({ title }) => title)).toEqual(['Old']);
  });

  it.each(['={{ ["archived"] }}', '={{ { status: "archived" } }}', '={{ 1 }}', 'deleted'])(
    'refuses the status %p by name, without a request',
    async (status) => {
      await expect(harness.fail(form('getAll', { filters: { status } }))).resolves.toMatchObject({
        message: anyText(/^'Status' is not one of its options: /),
        description: 'Choose one of: active, archived, favorite.',
      });
      expect(harness.requests()).toEqual([]);
    },
  );

  function addFormsOfEachStatus(): void {
    const { workspace } = harness.emulator;
    workspace.addForm({ title: 'Plain', createdAt: 1 });
    workspace.addForm({ title: 'Old', createdAt: 2, isArchived: true });
    workspace.addForm({ title: 'Loved', createdAt: 3, isFavorite: true });
  }

  it('returns ten fields of each form, or all of them without Simplify', async () => {
    addForms(harness.emulator, 1);
    const [simple] = jsons(await harness.run(form('getAll')));
    expect(Object.keys(simple ?? {})).toEqual([
      'id',
      'title',
      'state',
      'is_published',
      'is_archived',
      'submissions_count',
      'created_by',
      'created_at',
      'updated_at',
      'attempt_url',
    ]);
    const [whole] = jsons(await harness.run(form('getAll', { simplify: '={{ "false" }}' })));
    expect(whole).toMatchObject({ ...simple, is_disabled: false, is_suspended: false });
  });

  it.each(['={{ $json.missing }}', '={{ null }}', '={{ ["survey"] }}', '={{ { words: "survey" } }}'])(
    'fails and names the filter when Title is %p',
    async (title) => {
      await expect(harness.fail(form('getAll', { filters: { title } }))).resolves.toMatchObject({
        message: anyText(/^'Title' is (?:empty: its expression gives no value|not a text: )/),
      });
      expect(harness.requests()).toEqual([]);
    },
  );

  it('gives an empty workspace no items', async () => {
    expect(await harness.run(form('getAll', { returnAll: true }))).toEqual([]);
    expect(harness.requests()).toHaveLength(1);
  });

  it('links the forms of every input item to it', async () => {
    addForms(harness.emulator, 2);
    const items = await harness.run(form('getAll', { returnAll: true }), { items: [{}, {}] });
    expect(items.map(({ json, pairedItem }) => [json.title, pairedItem])).toEqual([
      ['Form 2', { item: 0 }],
      ['Form 1', { item: 0 }],
      ['Form 2', { item: 1 }],
      ['Form 1', { item: 1 }],
    ]);
  });
});

describe('the search in titles', () => {
  const titles = [
    'Customer survey 2025',
    'Survey of customers',
    'CUSTOMER feedback',
    'Kundenumfrage',
    'Über customer-SURVEYS',
    'survey',
  ];
  const search = async (title: string, more = {}) =>
    jsons(
      await harness.run(form('getAll', { returnAll: true, filters: { title }, sort: { order: 'asc' }, ...more })),
    ).map((json) => json.title);

  beforeEach(() => {
    titles.forEach((title, index) => harness.emulator.workspace.addForm({ title, createdAt: index }));
  });

  it('finds titles that have all the words, in any case and order', async () => {
    expect(await search('SURVEY customer')).toEqual([
      'Customer survey 2025',
      'Survey of customers',
      'Über customer-SURVEYS',
    ]);
  });

  it('knows letters beyond ASCII', async () => {
    expect(await search('über')).toEqual(['Über customer-SURVEYS']);
  });

  it('finds nothing when one word is missing', async () => {
    expect(await search('customer survey tomorrow')).toEqual([]);
  });

  it.each(['', '   '])('takes %p for no search', async (title) => {
    expect(await search(title)).toEqual(titles);
  });

  it('does not take the words for a pattern', async () => {
    expect(await search('.*')).toEqual([]);
  });

  it("keeps the words to itself: the name of the service's own parameter is not known", async () => {
    await search('survey');
    expect(harness.requests()).toEqual(['GET /v2/forms?order=asc&page=1&page_size=100']);
  });

  it('looks through all pages', async () => {
    for (const index of range(230))
      harness.emulator.workspace.addForm({ title: `Other ${index}`, createdAt: 1000 + index });
    harness.emulator.workspace.addForm({ title: 'The last survey', createdAt: 5000 });
    expect(await search('last survey')).toEqual(['The last survey']);
    expect(harness.requests()).toHaveLength(3);
  });

  it('stops at the page that fills the limit', async () => {
    for (const index of range(230))
      harness.emulator.workspace.addForm({ title: `Other ${index}`, createdAt: 1000 + index });
    const items = await harness.run(form('getAll', { limit: 2, filters: { title: 'survey' }, sort: { order: 'asc' } }));
    expect(jsons(items).map(({ title }) => title)).toEqual(['Customer survey 2025', 'Survey of customers']);
    expect(harness.requests()).toHaveLength(1);
  });

  it('goes on to the next page while the limit is not filled', async () => {
    for (const index of range(120))
      harness.emulator.workspace.addForm({ title: `Other ${index}`, createdAt: 1000 + index });
    harness.emulator.workspace.addForm({ title: 'Survey number five', createdAt: 5000 });
    const items = await harness.run(form('getAll', { limit: 5, filters: { title: 'survey' }, sort: { order: 'asc' } }));
    expect(jsons(items).map(({ title }) => title)).toEqual([
      'Customer survey 2025',
      'Survey of customers',
      'Über customer-SURVEYS',
      'survey',
      'Survey number five',
    ]);
    expect(harness.requests()).toHaveLength(2);
  });
});
