import type { INodeExecutionData } from 'n8n-workflow';

import { addForms, addSubmissions, anyText, useHarness, type Parameters } from '../support/harness';
import { OPERATIONS } from '../support/operations';

const harness = useHarness();

const NOT_FOUND = 'Form not found';

/** What an item says: its link, and its error or a word of its data. */
const told = (items: INodeExecutionData[], word: string) =>
  items.map(({ json, error, pairedItem }) => [
    pairedItem,
    error?.message ?? json[word],
    error === undefined ? undefined : json,
  ]);

describe('Continue On Fail, with the middle one of three items failing', () => {
  it('gives the error as that item, and does the others', async () => {
    const forms = addForms(harness.emulator, 2);
    const items = await harness.run(
      { resource: 'form', operation: 'get', formId: '={{ $json.id }}' },
      { items: [{ id: forms[0]?.id }, { id: 'unknown' }, { id: forms[1]?.id }], continueOnFail: true },
    );
    expect(told(items, 'title')).toEqual([
      [{ item: 0 }, 'Form 1', undefined],
      [{ item: 1 }, NOT_FOUND, { error: NOT_FOUND }],
      [{ item: 2 }, 'Form 2', undefined],
    ]);
    expect(harness.requests().sort()).toEqual(
      [forms[0]?.id, forms[1]?.id, 'unknown'].map((id) => `GET /v2/forms/${id}`).sort(),
    );
  });

  it('gives one error item for a list that failed, between the items of the others', async () => {
    const [first, second] = addForms(harness.emulator, 2);
    if (!first || !second) throw new Error('There are two forms');
    addSubmissions(harness.emulator, first, 150);
    addSubmissions(harness.emulator, second, 2);
    const items = await harness.run(
      { resource: 'submission', operation: 'getAll', output: 'raw', formId: '={{ $json.id }}', returnAll: true },
      { items: [{ id: first.id }, { id: 'unknown' }, { id: second.id }], continueOnFail: true },
    );
    expect(items).toHaveLength(153);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
      ...Array<unknown>(150).fill({ item: 0 }),
      { item: 1 },
      { item: 2 },
      { item: 2 },
    ]);
    expect(items[150]?.json).toEqual({ error: NOT_FOUND });
  });

  it('keeps nothing of a list that failed on its second page', async () => {
    harness.allowUndocumented();
    const [form] = addForms(harness.emulator, 1);
    if (form) addSubmissions(harness.emulator, form, 250);
    harness.emulator.fail({
      when: { match: ({ query }) => query['page'] === '2' },
      with: { status: 403, body: { error: 'Not any more' } },
    });
    const items = await harness.run(
      { resource: 'submission', operation: 'getAll', output: 'raw', formId: form?.id, returnAll: true },
      { continueOnFail: true },
    );
    expect(items.map(({ json, pairedItem }) => [json, pairedItem])).toEqual([[{ error: 'Not any more' }, { item: 0 }]]);
  });

  it('makes the other writes, and not the one that is refused before it is sent', async () => {
    const items = await harness.run(
      { resource: 'teamMember', operation: 'add', emails: '={{ $json.emails }}' },
      {
        items: [{ emails: 'a@example.com' }, { emails: 'nobody' }, { emails: ['b@example.com'] }],
        continueOnFail: true,
      },
    );
    expect(items.map(({ pairedItem, error }) => [pairedItem, error === undefined])).toEqual([
      [{ item: 0 }, true],
      [{ item: 1 }, false],
      [{ item: 2 }, true],
    ]);
    expect(items[1]?.json).toEqual({ error: anyText(/^'Emails' has an entry that is not an email address: nobody$/) });
    expect(harness.emulator.requests.map(({ body }) => body)).toEqual(
      expect.arrayContaining([{ emails: ['a@example.com'] }, { emails: ['b@example.com'] }]),
    );
    expect(harness.requests()).toHaveLength(2);
  });

  it.each<[what: string, parameters: Parameters, good: unknown, bad: unknown, message: RegExp]>([
    [
      'an empty title',
      { resource: 'form', operation: 'create', title: '={{ $json.x }}' },
      'Title',
      '',
      /^'Title' is empty$/,
    ],
    [
      'an address that is none',
      { resource: 'teamMember', operation: 'removeByEmail', emails: '={{ $json.x }}' },
      'a@example.com',
      'a@',
      /^'Emails' has an entry/,
    ],
    [
      'an address without an ID',
      { resource: 'form', operation: 'get', formId: { __rl: true, mode: 'url', value: '={{ $json.x }}' } },
      'https://acme.neetoform.com/forms/2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20',
      'https://acme.neetoform.com/',
      /no ID can be read/,
    ],
    [
      'a limit that is none',
      { resource: 'form', operation: 'getAll', limit: '={{ $json.x }}' },
      1,
      0,
      /^'Limit' is less than 1$/,
    ],
    [
      'an empty update',
      { resource: 'teamMember', operation: 'update', teamMemberId: 'x', updateFields: { firstName: '={{ $json.x }}' } },
      'Jane',
      null,
      /^'Update Fields' is empty$/,
    ],
  ])('links the error of %s to its item, though nothing was sent', async (_what, parameters, good, bad, message) => {
    const items = await harness.run(parameters, {
      items: [{ x: good }, { x: bad }, { x: good }],
      continueOnFail: true,
    });
    const failed = items.filter(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":1}');
    expect(failed).toMatchObject([{ json: { error: anyText(message) }, error: { message: anyText(message) } }]);
    expect(harness.requests()).toHaveLength(2);
  });

  it('keeps what n8n needs to tell the errors apart', async () => {
    const [item] = await harness.run(
      { resource: 'form', operation: 'get', formId: 'unknown' },
      { continueOnFail: true },
    );
    expect(item?.error).toMatchObject({
      httpCode: '404',
      description: anyText(/'unknown'/),
      context: { itemIndex: 0 },
    });
  });
});

describe.each(OPERATIONS)('Continue On Fail of $title', ({ parameters }) => {
  it('gives one linked error item for each input item, in their order', async () => {
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 403, body: { error: 'Not allowed' } } });
    const items = await harness.run(parameters, { items: [{}, {}, {}], continueOnFail: true });
    expect(told(items, 'none')).toEqual([0, 1, 2].map((item) => [{ item }, 'Not allowed', { error: 'Not allowed' }]));
    expect(harness.requests()).toHaveLength(3);
  });
});

describe('without Continue On Fail', () => {
  it('the first error ends the run and tells its item', async () => {
    const [form] = addForms(harness.emulator, 1);
    const error = await harness.fail(
      { resource: 'form', operation: 'get', formId: '={{ $json.id }}' },
      { items: [{ id: form?.id }, { id: 'b' }, { id: 'c' }] },
    );
    expect(error).toMatchObject({ message: NOT_FOUND, context: { itemIndex: 1 } });
  });
});
