import type { FaultEffect, Form, Json, QuestionInput, SubmissionInput } from '../../emulator/index.ts';
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

const read = async (more = {}) => {
  const getAll = { resource: 'submission', operation: 'getAll', formId: form.id, sort: { order: 'asc' } };
  return jsons(await harness.run({ ...getAll, ...more }));
};
const answers = async (options = {}) => (await read({ options })).map((item) => item['answers']);
const rows = async (options = {}) => await read({ output: 'row', options });

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

  it('names the answers by slug with Answer Names', async () => {
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

describe('a list of several pages', () => {
  beforeEach(() => {
    formWith(
      { label: 'Name', slug: 'own', position: 1 },
      { label: 'Name', slug: 'other', position: 2 },
      { label: 'Topics', position: 3 },
    );
    for (let index = 0; index < 250; index++) {
      const other: Record<string, Json> = index % 3 === 0 ? {} : { other: `Tom ${index}` };
      submit(
        { own: `Mia ${index}`, ...other, topics: ['API', `${index}`] },
        { fieldValues: [{ id: '1', field_id: 'score', data: { value: index } }] },
      );
    }
  });

  it.each([{ returnAll: true }, { limit: 250 }])(
    'gives each submission its own answers under the same names (%p)',
    async (howMany) => {
      const expected = harness.emulator.workspace.submissions(form.id).map(({ id, createdAt }, index) => ({
        about: { id, created_at: createdAt, form_id: form.id, form_title: 'Form' },
        names: { Name: `Mia ${index}`, 'Name (2)': index % 3 === 0 ? null : `Tom ${index}` },
        index,
      }));
      const simplified = expected.map(({ about, names, index }) => ({
        ...about,
        answers: { ...names, Topics: ['API', `${index}`] },
        custom_columns: { score: index },
      }));
      const flat = expected.map(({ about, names, index }) => ({
        ...about,
        ...names,
        Topics: `API, ${index}`,
        score: index,
      }));
      expect(JSON.stringify(await read(howMany))).toBe(JSON.stringify(simplified));
      expect(JSON.stringify(await read({ ...howMany, output: 'row' }))).toBe(JSON.stringify(flat));
    },
  );
});

describe('the options of answers', () => {
  beforeEach(() => {
    formWith(
      { label: 'Name', slug: 'own', position: 1 },
      { label: 'Name', slug: 'other', position: 2 },
      { label: 'Age', position: 3 },
    );
    submit({ own: 'Mia', other: 'Tom' });
    submit({ age: '7' });
  });

  it.each<[what: string, options: object, expected: object[]]>([
    [
      'have null for a skipped question by default',
      {},
      [
        { Name: 'Mia', 'Name (2)': 'Tom', Age: null },
        { Name: null, 'Name (2)': null, Age: '7' },
      ],
    ],
    [
      'leave skipped questions out without Include Skipped Questions',
      { includeSkipped: false },
      [{ Name: 'Mia', 'Name (2)': 'Tom' }, { Age: '7' }],
    ],
    [
      'are those of Questions to Include, in the order of the form, under the names they have among all',
      { questions: ['age', 'other'] },
      [
        { 'Name (2)': 'Tom', Age: null },
        { 'Name (2)': null, Age: '7' },
      ],
    ],
  ])('%s', async (_what, options, expected) => {
    expect(JSON.stringify(await answers(options))).toBe(JSON.stringify(expected));
    expect((await rows(options)).map((row) => Object.entries(row).slice(4))).toEqual(expected.map(Object.entries));
  });

  it('do not matter to Raw, and an empty list of questions means all', async () => {
    expect(await answers({ questions: [] })).toEqual(await answers());
    expect(await read({ output: 'raw', options: { questions: ['age'] } })).toEqual(await read({ output: 'raw' }));
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
    // The answer still has the question's old label.
    const response = { id: 'other', position: 1, kind: 'text', slug: 'other', label: 'Name', value: 'Tom' };
    submit({}, { responses: [response], fieldValues: [{ id: '1', field_id: 'priority', data: { value: 'high' } }] });
  });

  it.each(['simplified', 'row', 'raw'])('returns the same %s item as the node', async (output) => {
    for (const options of [{}, { answerKey: 'slug' }, { includeSkipped: false }, { questions: ['age', 'own'] }]) {
      const items = await fetchTestEvent(output, options);
      expect(items).toHaveLength(1);
      expect(items).toEqual(await read({ output, options }));
    }
  });

  it("uses the answers' own labels when the form cannot be read", async () => {
    harness.emulator.fail({ when: { path: /\/forms\/[^/]+$/ }, with: { status: 404, body: { error: 'No.' } } });
    const [item] = await fetchTestEvent('simplified');
    expect(item).toMatchObject({ form_title: null, answers: { Name: 'Tom' } });
  });
});
