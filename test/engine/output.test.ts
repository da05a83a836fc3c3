import type { Form, Json, QuestionInput, SubmissionInput } from '../../emulator/index.ts';
import { jsons, useBench } from '../support/bench';

const bench = useBench();
let form: Form;

function formWith(...questions: QuestionInput[]): void {
  form = bench.emulator.workspace.addForm({ title: 'Form', questions });
}

let age = 0;
const submit = (answers: Record<string, Json>, more: SubmissionInput = {}) =>
  bench.emulator.workspace.addSubmission(form.id, {
    createdAt: Date.parse('2026-02-09T08:00:00Z') + age++ * 1000,
    answers,
    ...more,
  });

const read = async (more = {}) =>
  jsons(await bench.run({ resource: 'submission', operation: 'getAll', formId: form.id, ...more }));
const answers = async (options = {}) => await read({ output: 'answers', options });

/** The value that comes out when the service sends this one. */
async function flattened(value: Json): Promise<unknown> {
  formWith({ label: 'Q' });
  submit({ q: value });
  const [item] = await answers();
  return item?.Q;
}

describe('the output', () => {
  beforeEach(() => {
    formWith({ label: 'Name' }, { label: 'E-mail' });
    submit(
      { name: 'Mia', 'e-mail': 'mia@example.com' },
      { id: 'first', fieldValues: [{ id: '1', field_id: 'priority', data: { value: 'high' } }] },
    );
  });

  it('is simplified when nothing is said', async () => {
    expect(await read()).toEqual([
      {
        id: 'first',
        created_at: bench.emulator.workspace.submissions(form.id)[0]?.createdAt,
        form_id: form.id,
        answers: { Name: 'Mia', 'E-mail': 'mia@example.com' },
        custom_columns: { priority: 'high' },
      },
    ]);
  });

  it('answers is the answers alone, flat', async () => {
    expect(await answers()).toEqual([{ Name: 'Mia', 'E-mail': 'mia@example.com' }]);
  });

  it("raw is the service's own object, untouched", async () => {
    const items = await read({ output: 'raw' });
    const sent = JSON.parse(bench.emulator.requests[0]?.responseBody ?? '') as { submissions: unknown[] };
    expect(items).toEqual(sent.submissions);
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(['created_at', 'field_values', 'id', 'responses', 'user_agent']);
  });

  it("has the respondent's IP address in raw, and nowhere else", async () => {
    expect(JSON.stringify(await read({ output: 'raw' }))).toContain('203.0.113.');
    for (const output of ['simplified', 'answers']) {
      const text = JSON.stringify(await read({ output, options: { includeSkipped: true } }));
      expect(text).not.toContain('203.0.113.');
      expect(text).not.toContain('user_agent');
    }
  });

  it.each(['simplified', 'answers', 'raw'])('%s is linked to the input item', async (output) => {
    const items = await bench.run(
      { resource: 'submission', operation: 'getAll', formId: form.id, output },
      { items: [{}, {}] },
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });

  it('names the answers by slug when that is chosen', async () => {
    expect(await answers({ answerKey: 'slug' })).toEqual([{ name: 'Mia', 'e-mail': 'mia@example.com' }]);
  });

  it('costs one request when no question was skipped', async () => {
    await read();
    await read({ output: 'answers' });
    expect(bench.asked()).toHaveLength(2);
  });
});

describe('the name of an answer', () => {
  it('is told apart by position when two questions have one label', async () => {
    formWith(
      { label: 'Name', slug: 'n-9', position: 1 },
      { label: 'Age', position: 2 },
      { label: 'Name', slug: 'n-1', position: 3 },
      { label: 'Name', slug: 'n-5', position: 4 },
    );
    submit({ 'n-9': 'Mia', age: '7', 'n-1': 'Tom', 'n-5': 'Zoe' });
    expect(await answers()).toEqual([{ Name: 'Mia', Age: '7', 'Name (2)': 'Tom', 'Name (3)': 'Zoe' }]);
    expect(bench.asked()).toHaveLength(1);
  });

  it('is the same in every item, also where the first of the two was skipped: the form is asked once', async () => {
    formWith({ label: 'Name', slug: 'own', position: 1 }, { label: 'Name', slug: 'other', position: 2 });
    submit({ other: 'Tom' });
    submit({ other: 'Tim' });
    expect(await answers()).toEqual([{ 'Name (2)': 'Tom' }, { 'Name (2)': 'Tim' }]);
    expect(bench.asked()).toEqual([
      `GET /v2/forms/${form.id}/submissions?page=1&page_size=100`,
      `GET /v2/forms/${form.id}`,
    ]);
  });

  it('does not depend on which submissions are read together', async () => {
    formWith({ label: 'Name', slug: 'own', position: 1 }, { label: 'Name', slug: 'other', position: 2 });
    submit({ own: 'Mia', other: 'Tom' });
    submit({ other: 'Tim' });
    expect(await answers()).toEqual([{ Name: 'Mia', 'Name (2)': 'Tom' }, { 'Name (2)': 'Tim' }]);
    expect(await answers({ order: 'desc' })).toEqual([{ 'Name (2)': 'Tim' }, { Name: 'Mia', 'Name (2)': 'Tom' }]);
    expect(
      jsons(
        await bench.run({
          resource: 'submission',
          operation: 'getAll',
          formId: form.id,
          output: 'answers',
          limit: 1,
          options: { order: 'desc' },
        }),
      ),
    ).toEqual([{ 'Name (2)': 'Tim' }]);
  });

  it('leaves a label that already reads like a second one its own', async () => {
    formWith(
      { label: 'Name', slug: 'a', position: 1 },
      { label: 'Name (2)', slug: 'b', position: 2 },
      { label: 'Name', slug: 'c', position: 3 },
    );
    submit({ a: '1', b: '2', c: '3' });
    expect(await answers()).toEqual([{ Name: '1', 'Name (2)': '2', 'Name (3)': '3' }]);
  });

  it('is never asked of the form when it goes by slug', async () => {
    formWith({ label: 'Name', slug: 'own', position: 1 }, { label: 'Name', slug: 'other', position: 2 });
    submit({ other: 'Tom' });
    expect(await answers({ answerKey: 'slug' })).toEqual([{ other: 'Tom' }]);
    expect(bench.asked()).toHaveLength(1);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'prototype'])(
    'can be %s without harm',
    async (label) => {
      formWith({ label, slug: 'odd', position: 1 }, { label: 'Name', position: 2 });
      submit({ odd: { polluted: true }, name: 'Mia' });
      for (const answerKey of ['label', 'slug']) {
        const [item = {}] = await answers({ answerKey });
        expect(Object.values(item)).toEqual([{ polluted: true }, 'Mia']);
        expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
        // As n8n stores it between two nodes.
        const stored = JSON.parse(JSON.stringify(item)) as Record<string, unknown>;
        expect(Object.assign({}, stored)).toEqual(item);
      }
      expect({}).not.toHaveProperty('polluted');
    },
  );

  it('can be a slug called __proto__', async () => {
    formWith({ label: 'Q' });
    submit({}, { responses: [{ id: '1', label: 'Q', position: 1, kind: 'text', slug: '__proto__', value: 'x' }] });
    for (const answerKey of ['label', 'slug']) {
      const [item = {}] = await answers({ answerKey });
      expect(Object.values(item)).toEqual(['x']);
      expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
    }
  });

  it.each(['', '   '])('is the slug when the label is empty: %p', async (label) => {
    formWith({ label, slug: 'type-a-question', position: 1 }, { label, slug: 'type-a-question-8', position: 2 });
    submit({ 'type-a-question': 'a', 'type-a-question-8': 'b' });
    expect(await answers()).toEqual([{ 'type-a-question': 'a', 'type-a-question-8': 'b' }]);
  });

  it('keeps dots, brackets and everything else in a label as one name', async () => {
    const labels = ['a.b', 'a[0]', 'What is "it"?', '1', 'Größe\n(cm)', '$json'];
    formWith(...labels.map((label, index) => ({ label, slug: `q${index}`, position: index + 1 })));
    submit(Object.fromEntries(labels.map((_, index) => [`q${index}`, `v${index}`])));
    const [item = {}] = await answers();
    expect(item).toEqual(Object.fromEntries(labels.map((label, index) => [label, `v${index}`])));
    expect(Object.keys(item)).toHaveLength(labels.length);
  });

  it('loses no answer when the service gives two of them one slug, or none', async () => {
    formWith({ label: 'Q' });
    bench.offTheBook();
    submit(
      {},
      {
        responses: [
          { label: 'Q', position: 1, slug: 'q', value: 'first' },
          { label: 'Q', position: 2, slug: 'q', value: 'second' },
          { label: 'Other', position: 3, value: 'third' },
          { position: 4, value: 'fourth' },
          { slug: '', label: '', value: 'fifth' },
        ],
      },
    );
    for (const answerKey of ['label', 'slug']) {
      const [item = {}] = await answers({ answerKey });
      expect(Object.values(item)).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    }
  });

  it('survives a submission without a list of answers', async () => {
    formWith({ label: 'Q' });
    bench.offTheBook();
    bench.emulator.fail({
      with: {
        status: 200,
        body: { submissions: [{ id: 'a', responses: null }, { id: 'b' }, { id: 'c', responses: [null, 'x'] }] },
      },
    });
    expect((await read()).map(({ id, answers: given }) => [id, given])).toEqual([
      ['a', {}],
      ['b', {}],
      ['c', {}],
    ]);
  });
});

describe('a list of several pages', () => {
  /** What a submission answers, by the question's slug; every second question is skipped now and then. */
  const given = (index: number): Record<string, Json> => ({
    own: `Mia ${index}`,
    ...(index % 3 === 0 ? {} : { other: `Tom ${index}` }),
    ...(index % 7 === 0 ? {} : { phone: { country_name: 'India', value: `+91 ${index}` } }),
    topics: index % 2 === 0 ? ['API', 'Pricing'] : [],
  });

  const COLUMNS: Record<string, string> = { own: 'Name', other: 'Name (2)', phone: 'Phone', topics: 'Topics' };

  const named = (index: number): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(given(index)).map(([slug, value]) => [
        COLUMNS[slug] ?? slug,
        slug === 'phone' ? `+91 ${index}` : value,
      ]),
    );

  beforeEach(() => {
    formWith(
      { label: 'Name', slug: 'own', position: 1 },
      { label: 'Name', slug: 'other', position: 2 },
      { label: 'Phone', position: 3 },
      { label: 'Topics', position: 4 },
    );
    for (let index = 0; index < 520; index++)
      submit(given(index), { fieldValues: [{ id: '1', field_id: 'score', data: { value: index } }] });
  });

  it.each([{ returnAll: true }, { limit: 520 }])(
    'gives each submission its own answers under the same names, to the letter (%p)',
    async (howMany) => {
      const submissions = bench.emulator.workspace.submissions(form.id);
      expect(JSON.stringify(await read(howMany))).toBe(
        JSON.stringify(
          submissions.map(({ id, createdAt }, index) => ({
            id,
            created_at: createdAt,
            form_id: form.id,
            answers: named(index),
            custom_columns: { score: index },
          })),
        ),
      );
      expect(JSON.stringify(await read({ ...howMany, output: 'answers' }))).toBe(
        JSON.stringify(submissions.map((_, index) => named(index))),
      );
    },
  );

  it("is the service's own data in raw output", async () => {
    const items = await read({ returnAll: true, output: 'raw' });
    const sent = bench.emulator.requests
      .toSorted((one, other) => Number(one.query['page']) - Number(other.query['page']))
      .flatMap(({ responseBody }) => (JSON.parse(responseBody ?? '') as { submissions: unknown[] }).submissions);
    expect(items).toEqual(sent);
    expect(items).toHaveLength(520);
  });

  it('names a question that was reworded by its first label, in every item', async () => {
    bench.offTheBook();
    const response = (label: string, value: string) => ({
      id: '1',
      label,
      position: 1,
      kind: 'text',
      slug: 'own',
      value,
    });
    formWith({ label: 'Name', slug: 'own', position: 1 });
    for (let index = 0; index < 150; index++)
      submit({}, { responses: [response(index < 70 ? 'Name' : 'Your name', String(index))] });
    const items = jsons(
      await bench.run({
        resource: 'submission',
        operation: 'getAll',
        formId: form.id,
        output: 'answers',
        returnAll: true,
      }),
    );
    expect(items).toEqual(Array.from({ length: 150 }, (_, index) => ({ Name: String(index) })));
  });
});

describe('Include Skipped Questions', () => {
  beforeEach(() => {
    formWith(
      { label: 'Name', position: 1 },
      { label: 'Age', position: 2 },
      { label: 'Name', slug: 'name-2', position: 3 },
    );
    submit({ name: 'Mia' });
    submit({ 'name-2': 'Tom', age: '7' });
    submit({});
  });

  it('gives every item the same columns, with null for what was skipped, for one request more', async () => {
    expect(await answers({ includeSkipped: true })).toEqual([
      { Name: 'Mia', Age: null, 'Name (2)': null },
      { Name: null, Age: '7', 'Name (2)': 'Tom' },
      { Name: null, Age: null, 'Name (2)': null },
    ]);
    expect(bench.asked()).toEqual([
      `GET /v2/forms/${form.id}/submissions?page=1&page_size=100`,
      `GET /v2/forms/${form.id}`,
    ]);
  });

  it('puts the columns in the order of the form', async () => {
    const items = await answers({ includeSkipped: true });
    expect(items.map((item) => Object.keys(item))).toEqual(items.map(() => ['Name', 'Age', 'Name (2)']));
  });

  it('works by slug too', async () => {
    const [item] = await answers({ includeSkipped: true, answerKey: 'slug' });
    expect(item).toEqual({ name: 'Mia', age: null, 'name-2': null });
  });

  it('works in simplified output', async () => {
    const [item] = await read({ options: { includeSkipped: true } });
    expect(item?.answers).toEqual({ Name: 'Mia', Age: null, 'Name (2)': null });
  });

  it('asks nothing more for raw output, nor for a form without submissions', async () => {
    await read({ output: 'raw', options: { includeSkipped: true } });
    formWith({ label: 'Empty' });
    await read({ options: { includeSkipped: true } });
    expect(bench.asked()).toHaveLength(2);
  });

  it('is off when nothing is said: what was skipped is not there', async () => {
    expect(await answers()).toEqual([{ Name: 'Mia' }, { Age: '7', 'Name (2)': 'Tom' }, {}]);
  });
});

describe('a value', () => {
  it.each<[what: string, sent: Json, given: unknown]>([
    ['text', 'Hello\nworld', 'Hello\nworld'],
    ['empty text', '', ''],
    ['text that reads like a number', '007', '007'],
    ['a number', 4.5, 4.5],
    ['a boolean', false, false],
    ['null', null, null],
    ['several choices', ['Red', 'Blue'], ['Red', 'Blue']],
    ['no choice', [], []],
    ['a phone', { country_name: 'India', value: '+91 98765 43210' }, '+91 98765 43210'],
    [
      'an address',
      {
        address: [
          { label: 'Street', content: 'Main St 1' },
          { label: 'City', content: 'Pune' },
          { label: 'State', content: null },
        ],
      },
      { Street: 'Main St 1', City: 'Pune', State: null },
    ],
    [
      'an address of lines with one label',
      {
        address: [
          { label: 'Line', content: 'One' },
          { label: 'Line', content: 'Two' },
        ],
      },
      { Line: 'One', 'Line (2)': 'Two' },
    ],
    [
      'files',
      { files: [{ name: 'a.pdf', url: 'https://app.neetoform.com/a' }] },
      [{ name: 'a.pdf', url: 'https://app.neetoform.com/a' }],
    ],
    [
      'files with more about them',
      { files: [{ id: '1', name: 'a.pdf', url: 'https://x.test/a', size: 3 }] },
      [{ name: 'a.pdf', url: 'https://x.test/a' }],
    ],
    ['no files', { files: [] }, []],
    [
      'a list of files',
      [
        { name: 'a.pdf', url: 'https://x.test/a' },
        { name: 'b.pdf', url: 'https://x.test/b' },
      ],
      [
        { name: 'a.pdf', url: 'https://x.test/a' },
        { name: 'b.pdf', url: 'https://x.test/b' },
      ],
    ],
    [
      'files in a text',
      '{"files":[{"name":"a.pdf","url":"https://x.test/a"}]}',
      [{ name: 'a.pdf', url: 'https://x.test/a' }],
    ],
    [
      'a list of files in a text',
      ' [{"name":"a.pdf","url":"https://x.test/a"}]',
      [{ name: 'a.pdf', url: 'https://x.test/a' }],
    ],
    [
      'the address of a file',
      'https://app.neetoform.com/rails/blobs/a.pdf',
      'https://app.neetoform.com/rails/blobs/a.pdf',
    ],
    [
      'a list of addresses of files',
      ['https://x.test/a', 'https://x.test/b'],
      ['https://x.test/a', 'https://x.test/b'],
    ],
    ['a name in parts', { first_name: 'Mia', last_name: 'Roe' }, { first_name: 'Mia', last_name: 'Roe' }],
    ['an object that is not known', { latitude: 1, longitude: 2 }, { latitude: 1, longitude: 2 }],
    ['an object with a value, but no phone', { value: '7', unit: 'kg' }, { value: '7', unit: 'kg' }],
    [
      'a phone whose number is no text',
      { country_name: 'India', value: { digits: '98' } },
      { country_name: 'India', value: { digits: '98' } },
    ],
    [
      'a list that is not known',
      [
        { row: 'A', column: 1 },
        { row: 'B', column: 2 },
      ],
      [
        { row: 'A', column: 1 },
        { row: 'B', column: 2 },
      ],
    ],
    [
      'links that are not files',
      [{ url: 'https://x.test', label: 'Home' }],
      [{ url: 'https://x.test', label: 'Home' }],
    ],
    [
      'files beside something else',
      [{ name: 'a.pdf', url: 'https://x.test/a' }, 'b'],
      [{ name: 'a.pdf', url: 'https://x.test/a' }, 'b'],
    ],
    ['an address that is text', { address: 'Main St 1' }, { address: 'Main St 1' }],
    [
      'an address with a line that is not known',
      { address: [{ label: 'Street', content: 'Main St 1' }, 'Pune'] },
      { address: [{ label: 'Street', content: 'Main St 1' }, 'Pune'] },
    ],
    ['text that only begins like files', '{"files": yes!', '{"files": yes!'],
    ['JSON that is not files', '[{"a":1}]', '[{"a":1}]'],
    ['nested lists', [['a'], ['b', 'c']], [['a'], ['b', 'c']]],
  ])('that is %s comes out as the contract says', async (_what, sent, given) => {
    bench.offTheBook();
    expect(await flattened(sent)).toEqual(given);
  });

  it('with a label called __proto__ in an address does no harm', async () => {
    bench.offTheBook();
    const address = (await flattened(
      JSON.parse(
        '{"address":[{"label":"__proto__","content":{"polluted":true}},{"label":"City","content":"Pune"}]}',
      ) as Json,
    )) as object;
    expect(Object.getPrototypeOf(address)).toBe(Object.prototype);
    expect(Object.values(address)).toEqual([{ polluted: true }, 'Pune']);
    expect(Object.keys(address)).not.toContain('__proto__');
  });
});

describe('custom columns', () => {
  const columns = async (...fieldValues: unknown[]) => {
    formWith({ label: 'Q' });
    bench.offTheBook();
    submit({}, { fieldValues: fieldValues as SubmissionInput['fieldValues'] });
    const [item] = await read();
    return item?.custom_columns;
  };

  it('go by their field, with their one value or their several', async () => {
    expect(
      await columns(
        { id: '1', field_id: 'priority', data: { value: 'high' } },
        { id: '2', field_id: 'tags', data: { values: ['a', 'b'] } },
        { id: '3', field_id: 'score', data: { value: 7 } },
        { id: '4', field_id: 'empty', data: { value: null } },
      ),
    ).toEqual({ priority: 'high', tags: ['a', 'b'], score: 7, empty: null });
  });

  it('of a shape that is not known pass through', async () => {
    expect(await columns({ field_id: 'odd', data: { other: 1 } }, { field_id: 'bare', data: 'text' })).toEqual({
      odd: { other: 1 },
      bare: 'text',
    });
  });

  it('without a field, and no columns at all, do no harm', async () => {
    expect(await columns({ id: '1', data: { value: 'x' } }, null, 'x')).toEqual({});
    bench.emulator.fail({
      with: { status: 200, body: { submissions: [{ id: 'a', responses: [], field_values: null }] } },
    });
    expect((await read()).map(({ custom_columns: none }) => none)).toEqual([{}]);
  });

  it('called __proto__ do no harm', async () => {
    const given = await columns(
      { field_id: '__proto__', data: { value: { polluted: true } } },
      { field_id: 'fine', data: { value: 1 } },
    );
    expect(given).toMatchObject({ fine: 1 });
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });
});
