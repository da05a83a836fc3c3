import type { IDataObject } from 'n8n-workflow';
import type { FaultEffect, Form, Json, QuestionInput, Submission, SubmissionInput } from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { jsons, useHarness } from '../support/harness';
import { createPoller } from '../support/engine';

const harness = useHarness();
let form: Form;

function formWith(...questions: QuestionInput[]): void {
  form = harness.emulator.workspace.addForm({ title: 'Form', questions });
}

let age = 0;
const submit = (answers: Record<string, Json>, more: SubmissionInput = {}) =>
  harness.emulator.workspace.addSubmission(form.id, {
    createdAt: Date.parse('2026-02-09T08:00:00Z') + age++ * 1000,
    answers,
    ...more,
  });

const read = async (more = {}) =>
  jsons(
    await harness.run({
      resource: 'submission',
      operation: 'getAll',
      formId: form.id,
      sort: { order: 'asc' },
      ...more,
    }),
  );
const answersOf = (items: IDataObject[]) => items.map((item) => item['answers'] as IDataObject);
const answers = async (options = {}) => answersOf(await read({ options }));
const answered = async (options = {}) => await answers({ includeSkipped: false, ...options });
const rows = async (options = {}) => await read({ output: 'row', options });

/** What a question of this kind is answered with when the service sends this value: in Simplified, and in a cell of Row. */
async function flattened(value: Json, kind = 'text'): Promise<[answer: unknown, cell: unknown]> {
  formWith({ label: 'Q', kind });
  submit({ q: value });
  const [[item], [row]] = [await answers(), await rows()];
  return [item?.['Q'], row?.['Q']];
}

/** An answer as the service returns it. */
const response = (more: { slug: string; label: string; value: Json; position?: number }) => ({
  id: more.slug,
  position: 1,
  kind: 'text',
  ...more,
});

const page = () => `GET /v2/forms/${form.id}/submissions`;
/** The requests without their queries. */
const asked = () => harness.requests().map((request) => request.replace(/\?.*/, ''));

describe('the output', () => {
  beforeEach(() => {
    formWith({ label: 'Name' }, { label: 'E-mail' });
    submit(
      { name: 'Mia', 'e-mail': 'mia@example.com' },
      { id: 'first', fieldValues: [{ id: '1', field_id: 'priority', data: { value: 'high' } }] },
    );
  });

  const about = () => ({
    id: 'first',
    created_at: harness.emulator.workspace.submissions(form.id)[0]?.createdAt,
    form_id: form.id,
    form_title: 'Form',
  });

  const answersAndColumns = {
    answers: { Name: 'Mia', 'E-mail': 'mia@example.com' },
    custom_columns: { priority: 'high' },
  };

  it('is Simplified by default', async () => {
    expect(await read()).toEqual([{ ...about(), ...answersAndColumns }]);
  });

  it('Row is flat: ID, time and form, then the answers, then the custom columns', async () => {
    const row = { ...about(), Name: 'Mia', 'E-mail': 'mia@example.com', priority: 'high' };
    expect(JSON.stringify(await rows())).toBe(JSON.stringify([row]));
  });

  it("raw is the service's own object, untouched", async () => {
    const items = await read({ output: 'raw' });
    const sent = JSON.parse(harness.emulator.requests[0]?.responseBody ?? '') as { submissions: unknown[] };
    expect(items).toEqual(sent.submissions);
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(['created_at', 'field_values', 'id', 'responses', 'user_agent']);
  });

  it("has the respondent's IP address in raw, and nowhere else", async () => {
    expect(JSON.stringify(await read({ output: 'raw' }))).toContain('203.0.113.');
    for (const output of ['simplified', 'row'])
      expect(JSON.stringify(await read({ output }))).not.toMatch(/203\.0\.113\.|user_agent/);
  });

  it.each(['simplified', 'row', 'raw'])('%s is linked to the input item', async (output) => {
    const parameters = { resource: 'submission', operation: 'getAll', formId: form.id, output };
    const items = await harness.run(parameters, { items: [{}, {}] });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });

  it('names the answers by slug when that is chosen', async () => {
    expect(await answers({ answerKey: 'slug' })).toEqual([{ name: 'Mia', 'e-mail': 'mia@example.com' }]);
  });

  it('takes one more request, for the form, however many input items read it; raw takes none', async () => {
    const parameters = { resource: 'submission', operation: 'getAll', formId: form.id };
    await harness.run(parameters, { items: [{}, {}, {}] });
    expect(asked().toSorted()).toEqual([`GET /v2/forms/${form.id}`, page(), page(), page()]);
    await read({ output: 'raw' });
    expect(asked().slice(4)).toEqual([page()]);
  });

  it.each<[what: string, effect: FaultEffect]>([
    ['does not exist', { status: 404, body: { error: 'No.' } }],
    ['cannot be read', { status: 403, body: { error: 'No.' } }],
    ['comes without title and questions', { status: 200, body: { id: 'some-id' } }],
  ])('is complete when the form itself %s: labels come from the answers', async (_what, effect) => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { path: /\/forms\/[^/]+$/ }, with: effect });
    expect(await read()).toEqual([{ ...about(), form_title: null, ...answersAndColumns }]);
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
  });

  it.each([0, 1])(
    'comes from the form, with positions from %p: skipping the first of two alike changes nothing',
    async (first) => {
      formWith({ label: 'Name', slug: 'own', position: first }, { label: 'Name', slug: 'other', position: first + 1 });
      submit({ other: 'Tom' });
      expect(await answered()).toEqual([{ 'Name (2)': 'Tom' }]);
      submit({ own: 'Mia', other: 'Tim' });
      const both = [{ 'Name (2)': 'Tom' }, { Name: 'Mia', 'Name (2)': 'Tim' }];
      expect(await answered()).toEqual(both);
      expect(answersOf(await read({ limit: 1, options: { includeSkipped: false } }))).toEqual([{ 'Name (2)': 'Tom' }]);
    },
  );

  it('is that of today for a question that was renamed, however old the answer', async () => {
    formWith({ label: 'Full name', slug: 'own', position: 1 }, { label: 'Age', position: 2 });
    submit({}, { responses: [response({ slug: 'own', label: 'Name', value: 'Mia' })] });
    submit({}, { responses: [response({ slug: 'own', label: 'Full name', value: 'Tom' })] });
    expect(await answers()).toEqual([
      { 'Full name': 'Mia', Age: null },
      { 'Full name': 'Tom', Age: null },
    ]);
  });

  it('is its own, behind the others, for a question that was deleted', async () => {
    formWith({ label: 'Name', position: 1 }, { label: 'Age', position: 2 });
    const deleted = response({ slug: 'deleted', label: 'Name', value: 'Zoe' });
    submit({}, { responses: [deleted, response({ slug: 'name', label: 'Name', position: 2, value: 'Mia' })] });
    submit({ name: 'Tom', age: '7' });
    const items = [
      { Name: 'Mia', Age: null, 'Name (2)': 'Zoe' },
      { Name: 'Tom', Age: '7', 'Name (2)': null },
    ];
    expect(JSON.stringify(await answers())).toBe(JSON.stringify(items));
  });

  it.each(['id', 'created_at', 'form_id', 'form_title', 'priority'])(
    'can be %s: in Row it gets a number, and nothing is overwritten',
    async (label) => {
      formWith({ label, slug: 'odd' });
      submit(
        { odd: 'mine' },
        { id: 'first', fieldValues: [{ id: '1', field_id: 'priority', data: { value: 'high' } }] },
      );
      const [row = {}] = await rows();
      expect(row).toMatchObject({ id: 'first', form_id: form.id, form_title: 'Form' });
      expect(Object.values(row).slice(4)).toEqual(['mine', 'high']);
      expect(Object.keys(row).slice(4)).toEqual(
        label === 'priority' ? ['priority', 'priority (2)'] : [`${label} (2)`, 'priority'],
      );
      expect(await answers()).toEqual([{ [label]: 'mine' }]);
    },
  );

  it('leaves a label that already reads like a second one its own', async () => {
    formWith(
      { label: 'Name', slug: 'a', position: 1 },
      { label: 'Name (2)', slug: 'b', position: 2 },
      { label: 'Name', slug: 'c', position: 3 },
    );
    submit({ a: '1', b: '2', c: '3' });
    expect(await answers()).toEqual([{ Name: '1', 'Name (2)': '2', 'Name (3)': '3' }]);
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
    submit({}, { responses: [response({ slug: '__proto__', label: 'Q', value: 'x' })] });
    for (const answerKey of ['label', 'slug']) {
      const [item = {}] = await answered({ answerKey });
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
    harness.allowUndocumented();
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
      const [item = {}] = await answered({ answerKey });
      expect(Object.values(item)).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    }
  });

  it('survives a submission without a list of answers', async () => {
    formWith({ label: 'Q' });
    harness.allowUndocumented();
    const submissions: Array<Record<string, Json>> = [
      { id: 'a', responses: null },
      { id: 'b' },
      { id: 'c', responses: [null, 'x'] },
    ];
    harness.emulator.fail({ when: { path: /submissions/ }, with: { status: 200, body: { submissions } } });
    expect((await read()).map(({ id, answers: given }) => [id, given])).toEqual(
      submissions.map(({ id }) => [id, { Q: null }]),
    );
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

  const named = (index: number, toCell: (value: Json) => Json = (value) => value): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(COLUMNS).map(([slug, column]) => {
        const value = given(index)[slug] ?? null;
        return [column, slug === 'phone' && value !== null ? `+91 ${index}` : toCell(value)];
      }),
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
      const submissions = harness.emulator.workspace.submissions(form.id);
      const about = ({ id, createdAt }: Submission) => ({
        id,
        created_at: createdAt,
        form_id: form.id,
        form_title: 'Form',
      });
      const simplified = submissions.map((row, index) => ({
        ...about(row),
        answers: named(index),
        custom_columns: { score: index },
      }));
      expect(JSON.stringify(await read(howMany))).toBe(JSON.stringify(simplified));
      const cell = (value: Json) => (Array.isArray(value) ? value.map(String).join(', ') : value);
      const flat = submissions.map((row, index) => ({ ...about(row), ...named(index, cell), score: index }));
      expect(JSON.stringify(await read({ ...howMany, output: 'row' }))).toBe(JSON.stringify(flat));
    },
  );

  it("is the service's own data in raw output", async () => {
    const items = await read({ returnAll: true, output: 'raw' });
    const sent = harness.emulator.requests
      .toSorted((one, other) => Number(one.query['page']) - Number(other.query['page']))
      .flatMap(({ responseBody }) => (JSON.parse(responseBody ?? '') as { submissions: unknown[] }).submissions);
    expect(items).toEqual(sent);
    expect(items).toHaveLength(520);
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

  it.each([
    [
      'is on by default: every item has the columns of the form, in its order, with null for what was skipped',
      {},
      [
        { Name: 'Mia', Age: null, 'Name (2)': null },
        { Name: null, Age: '7', 'Name (2)': 'Tom' },
        { Name: null, Age: null, 'Name (2)': null },
      ],
    ],
    [
      'works by slug too',
      { answerKey: 'slug' },
      [
        { name: 'Mia', age: null, 'name-2': null },
        { name: null, age: '7', 'name-2': 'Tom' },
        { name: null, age: null, 'name-2': null },
      ],
    ],
    [
      'can be switched off: what was skipped is not there, and the order is still that of the form',
      { includeSkipped: false },
      [{ Name: 'Mia' }, { Age: '7', 'Name (2)': 'Tom' }, {}],
    ],
  ])('%s', async (_what, options, expected) => {
    expect(JSON.stringify(await answers(options))).toBe(JSON.stringify(expected));
  });

  it('works in Row too', async () => {
    expect((await rows()).map((row) => Object.values(row).slice(4))).toEqual([
      ['Mia', null, null],
      [null, '7', 'Tom'],
      [null, null, null],
    ]);
  });
});

describe('Questions to Include', () => {
  beforeEach(() => {
    formWith(
      { label: 'Name', slug: 'own', position: 1 },
      { label: 'Name', slug: 'other', position: 2 },
      { label: 'Age', position: 3 },
    );
    submit({ own: 'Mia', other: 'Tom', age: '7' });
    submit({ own: 'Zoe' });
  });

  it('returns these questions only, in the order of the form, under the names they have among all', async () => {
    const questions = ['age', 'other'];
    const items = [
      { 'Name (2)': 'Tom', Age: '7' },
      { 'Name (2)': null, Age: null },
    ];
    expect(JSON.stringify(await answers({ questions }))).toBe(JSON.stringify(items));
    expect((await rows({ questions })).map((row) => Object.keys(row).slice(4))).toEqual(items.map(Object.keys));
    expect(await answered({ questions })).toEqual([{ 'Name (2)': 'Tom', Age: '7' }, {}]);
  });

  it('returns all questions when it is empty, and leaves Raw as it is', async () => {
    expect(await answers({ questions: [] })).toEqual(await answers());
    expect(await read({ output: 'raw', options: { questions: ['age'] } })).toEqual(await read({ output: 'raw' }));
  });
});

describe('a value', () => {
  const file = (name: string) => ({ name, url: `https://x.test/${name}` });
  const files = [file('a.pdf'), file('b.pdf')];
  const numbered = { id: '1', ...file('a.pdf'), qty: 3 };
  const address = (...lines: Array<[label: string, content: Json]>) => ({
    address: lines.map(([label, content]) => ({ label, content })),
  });
  const urls = 'https://x.test/a.pdf, https://x.test/b.pdf';
  const same = (value: Json): [Json, Json, Json] => [value, value, value];

  it.each<[what: string, sent: Json, answer: unknown, cell: unknown]>([
    ['text', ...same('Hello\nworld')],
    ['empty text', ...same('')],
    ['text that reads like a number', ...same('007')],
    ['a number', ...same(4.5)],
    ['a boolean', ...same(false)],
    ['null', ...same(null)],
    ['several choices', ['Red', 'Blue'], ['Red', 'Blue'], 'Red, Blue'],
    ['choices of which one is empty', ['Red', '', null, 0], ['Red', '', null, 0], 'Red, 0'],
    ['no choice', [], [], ''],
    ['a phone', { country_name: 'India', value: '+91 98765 43210' }, '+91 98765 43210', '+91 98765 43210'],
    [
      'an address',
      address(['Street', 'Main St 1'], ['City', 'Pune'], ['State', null]),
      { Street: 'Main St 1', City: 'Pune', State: null },
      'Main St 1, Pune',
    ],
    [
      'an address of lines with one label',
      address(['Line', 'One'], ['Line', 'Two']),
      { Line: 'One', 'Line (2)': 'Two' },
      'One, Two',
    ],
    ['files', { files }, files, urls],
    ['files with more about them', { files: [numbered] }, [numbered], 'https://x.test/a.pdf'],
    ['no files', { files: [] }, [], ''],
    ['a list of files', files, files, urls],
    ['a name in parts', { last_name: 'Roe', first_name: 'Mia' }, { last_name: 'Roe', first_name: 'Mia' }, 'Mia Roe'],
    ['half a name', { first_name: 'Mia', last_name: null }, { first_name: 'Mia', last_name: null }, 'Mia'],
  ])('that is %s becomes what the contract says', async (_what, sent, answer, cell) => {
    harness.allowUndocumented();
    expect(await flattened(sent)).toEqual([answer, cell]);
  });

  it.each<[what: string, value: Json]>([
    ['an object', { latitude: 1, longitude: 2 }],
    ['an object with a value, but no phone', { value: '7', unit: 'kg' }],
    ['a phone whose number is no text', { country_name: 'India', value: { digits: '98' } }],
    ['a name with something else', { first_name: 'Mia', age: 7 }],
    ['a list of objects', [{ row: 'A', column: 1 }]],
    ['links that are not files', [{ url: 'https://x.test', label: 'Home' }]],
    ['one link', { ...file('a.pdf'), price: 3 }],
    ['files beside something else in a list', [...files, 'b']],
    ['files beside something else in an object', { files, note: 'keep' }],
    ['no files beside something else', { files: [], note: 'keep' }],
    ['an address that is text', { address: 'Main St 1' }],
    ['an address with a line that is not known', { address: [{ label: 'Street', content: 'Main St 1' }, 'Pune'] }],
    ['an address beside something else', { address: [{ label: 'Street', content: 'Main St 1' }], floor: 3 }],
    ['nested lists', [['a'], ['b', 'c']]],
  ])('of a shape that is not known passes through, and is JSON in a row: %s', async (_what, value) => {
    harness.allowUndocumented();
    expect(await flattened(value)).toEqual([value, JSON.stringify(value)]);
  });

  it.each([
    '[{"name":"Widget","url":"https://x.test/a","price":3}]',
    '{"files":[],"note":"keep"}',
    '{"files":[{"name":"a.pdf","url":"https://x.test/a"}]}',
    'https://x.test/a.pdf',
    '{"files": yes!',
    '{"first_name":"Mia"}',
    '7',
    'null',
  ])('stays the text %s when a respondent typed it into a question that is not about files', async (text) => {
    for (const kind of ['short_text', 'long_text', 'website']) {
      expect(await flattened(text, kind)).toEqual([text, text]);
    }
  });

  it.each<[what: string, sent: Json, answer: unknown, cell: unknown]>([
    ['JSON of files', JSON.stringify({ files }), files, urls],
    ['JSON of a list of files', ` ${JSON.stringify([numbered])}`, [numbered], files[0]?.url],
    ['an address', files[0]?.url ?? null, [{ name: '', url: files[0]?.url }], files[0]?.url],
    ['addresses', files.map(({ url }) => url), files.map(({ url }) => ({ name: '', url })), urls],
    ['one file', { ...file('a.pdf') }, [file('a.pdf')], files[0]?.url],
    ['a file without a name', [{ url: 'http://x.test' }], [{ name: '', url: 'http://x.test' }], 'http://x.test'],
    ['some other text', 'none', 'none', 'none'],
    ['an empty text', '', '', ''],
    ['JSON of something else', '{"a":1}', '{"a":1}', '{"a":1}'],
  ])('in the answer to a question about files is a list of files: %s', async (_what, sent, answer, cell) => {
    harness.allowUndocumented();
    expect(await flattened(sent, 'file_upload')).toEqual([answer, cell]);
  });

  it('with a label called __proto__ in an address does no harm', async () => {
    harness.allowUndocumented();
    const [lines, cell] = await flattened(address(['__proto__', { polluted: true }], ['City', 'Pune']));
    expect(Object.getPrototypeOf(lines)).toBe(Object.prototype);
    expect(JSON.stringify(lines)).toBe('{"__proto__ (2)":{"polluted":true},"City":"Pune"}');
    expect(cell).toBe('{"__proto__ (2)":{"polluted":true},"City":"Pune"}');
  });
});

describe('custom columns', () => {
  const columns = async (...fieldValues: unknown[]) => {
    formWith({ label: 'Q' });
    harness.allowUndocumented();
    submit({}, { fieldValues: fieldValues as SubmissionInput['fieldValues'] });
    const [item] = await read();
    return item?.['custom_columns'];
  };

  it('are named by their field, and have its one value or its several', async () => {
    const given = [
      { id: '1', field_id: 'priority', data: { value: 'high' } },
      { id: '2', field_id: 'tags', data: { values: ['a', 'b'] } },
      { id: '3', field_id: 'score', data: { value: 7 } },
      { id: '4', field_id: 'empty', data: { value: null } },
    ];
    expect(await columns(...given)).toEqual({ priority: 'high', tags: ['a', 'b'], score: 7, empty: null });
    expect(await rows()).toEqual([
      expect.objectContaining({ Q: null, priority: 'high', tags: 'a, b', score: 7, empty: null }),
    ]);
  });

  it('of other shapes pass through', async () => {
    expect(
      await columns(
        { field_id: 'odd', data: { other: 1 } },
        { field_id: 'bare', data: 'text' },
        { name: 'Priority', value: 'high' },
        { field_id: 7, value: 'seven' },
        { field_id: 'direct', value: ['a'] },
        { id: '1', data: { value: 'x' } },
        { some: 'thing' },
        'text',
        null,
      ),
    ).toEqual({
      odd: { other: 1 },
      bare: 'text',
      Priority: 'high',
      7: 'seven',
      direct: ['a'],
      'Column 6': 'x',
      'Column 7': { some: 'thing' },
      'Column 8': 'text',
    });
    const [row] = await rows();
    expect(row).toMatchObject({ odd: '{"other":1}', bare: 'text', 7: 'seven', 'Column 7': '{"some":"thing"}' });
  });

  it('have a column in every row, also where another submission has none', async () => {
    formWith({ label: 'Q' });
    submit({}, { fieldValues: [{ id: '1', field_id: 'a', data: { value: 1 } }] });
    submit({}, { fieldValues: [{ id: '2', field_id: 'b', data: { value: 2 } }] });
    submit({});
    expect((await rows()).map(({ a, b }) => [a, b])).toEqual([
      [1, null],
      [null, 2],
      [null, null],
    ]);
  });

  it.each<Json>([null, {}, { priority: 'high' }])('may come as %j in place of a list', async (given) => {
    formWith({ label: 'Q' });
    harness.allowUndocumented();
    const submissions = [{ id: 'a', responses: [], field_values: given }];
    harness.emulator.fail({ when: { path: /submissions/ }, with: { status: 200, body: { submissions } } });
    expect((await read()).map(({ custom_columns: custom }) => custom)).toEqual([given ?? {}]);
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

describe('the trigger', () => {
  const fetchTestEvent = async (output: string, options = {}) => {
    const poller = createPoller(new NeetoFormTrigger(), {
      credentials: harness.credentials,
      parameters: { watch: 'one', formId: { __rl: true, mode: 'id', value: form.id }, output, options },
    });
    return jsons((await poller.poll({ mode: 'manual' }))?.flat() ?? []);
  };

  beforeEach(() => {
    formWith(
      { label: 'Full name', slug: 'own', position: 0 },
      { label: 'Full name', slug: 'other', position: 1 },
      { label: 'Age', position: 2 },
    );
    const responses = [response({ slug: 'other', label: 'Name', value: 'Tom' })];
    submit({}, { responses, fieldValues: [{ id: '1', field_id: 'priority', data: { value: 'high' } }] });
  });

  it.each(['simplified', 'row', 'raw'])('returns the same %s item as the node', async (output) => {
    for (const options of [{}, { answerKey: 'slug' }, { includeSkipped: false }, { questions: ['age', 'own'] }]) {
      const items = await fetchTestEvent(output, options);
      expect(items).toHaveLength(1);
      expect(items).toEqual(await read({ output, options }));
    }
  });

  it('names the columns as the form does, also after a question was renamed', async () => {
    const [item] = await fetchTestEvent('row');
    expect(item).toMatchObject({ form_title: 'Form', 'Full name': null, 'Full name (2)': 'Tom', Age: null });
  });

  it("uses the answers' own labels when the form cannot be read", async () => {
    harness.emulator.fail({ when: { path: /\/forms\/[^/]+$/ }, with: { status: 404, body: { error: 'No.' } } });
    const [item] = await fetchTestEvent('simplified');
    expect(item).toMatchObject({ form_title: null, answers: { Name: 'Tom' } });
  });
});
