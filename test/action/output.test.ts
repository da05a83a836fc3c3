import type { FaultEffect, Form, Json, QuestionInput, SubmissionInput } from '../../emulator/index.ts';
import { jsons, useHarness } from '../support/harness';

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

  const row = () => {
    const { id: submission_id, created_at, form_title, form_id } = about();
    return { created_at, Name: 'Mia', 'E-mail': 'mia@example.com', form_title, form_id, submission_id };
  };
  const orderOf = (items: object[]) => items.map((item) => Object.keys(item));

  it('is Row by default: flat, the time first, then the answers, IDs last', async () => {
    const items = await read();
    expect(items).toEqual([row()]);
    expect(orderOf(items)).toEqual(orderOf([row()]));
    expect(await read({ output: 'row' })).toEqual(items);
  });

  it('is the time and the answers alone without Include Form and IDs, which concerns a Row only', async () => {
    const options = { includeFormAndIds: false };
    const { created_at, Name, 'E-mail': email } = row();
    expect(await read({ options })).toEqual([{ created_at, Name, 'E-mail': email }]);
    for (const output of ['simplified', 'raw']) expect(await read({ output, options })).toEqual(await read({ output }));
  });

  it('Simplified has the answers and the custom columns in objects of their own', async () => {
    expect(await read({ output: 'simplified' })).toEqual([{ ...about(), ...answersAndColumns }]);
  });

  it("is the service's own object in raw, the only one with the respondent's IP address", async () => {
    const items = await read({ output: 'raw' });
    const sent = JSON.parse(harness.emulator.requests[0]?.responseBody ?? '') as { submissions: unknown[] };
    expect(items).toEqual(sent.submissions);
    expect(JSON.stringify(items)).toContain('203.0.113.');
    for (const output of ['simplified', 'row'])
      expect(JSON.stringify(await read({ output }))).not.toMatch(/203\.0\.113\.|user_agent/);
  });

  it('takes one more request, for the form, however many input items read it; raw takes none', async () => {
    const parameters = { resource: 'submission', operation: 'getAll', formId: form.id };
    const items = await harness.run(parameters, { items: [{}, {}, {}] });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
    expect(asked().toSorted()).toEqual([`GET /v2/forms/${form.id}`, page(), page(), page()]);
    await read({ output: 'raw' });
    expect(asked().slice(4)).toEqual([page()]);
  });

  it.each<[what: string, effect: FaultEffect]>([
    ['does not exist', { status: 404, body: { error: 'No.' } }],
    ['cannot be read', { status: 403, body: { error: 'No.' } }],
  ])('is complete when the form itself %s: labels come from the answers', async (_what, effect) => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { path: /\/forms\/[^/]+$/ }, with: effect });
    expect(await read()).toEqual([{ ...row(), form_title: null }]);
  });
});

it('Questions to Include and Include Skipped Questions choose the answers, under the names they have among all', async () => {
  formWith({ label: 'Name', slug: 'own' }, { label: 'Name', slug: 'other' }, { label: 'Age, years', slug: 'age' });
  submit({ own: 'Mia', other: 'Tom' });
  submit({ age: '7' });
  const answers = async (options: object) =>
    (await read({ options, output: 'simplified' })).map((item) => item['answers']);
  expect(await answers({ includeSkippedQuestions: false })).toEqual([
    { Name: 'Mia', 'Name (2)': 'Tom' },
    { 'Age, years': '7' },
  ]);
  expect(await answers({ questionsToInclude: ['age', 'other'] })).toEqual([
    { 'Name (2)': 'Tom', 'Age, years': null },
    { 'Name (2)': null, 'Age, years': '7' },
  ]);
  expect(await answers({ questionsToInclude: 'age, YEARS' })).toEqual([{ 'Age, years': null }, { 'Age, years': '7' }]);
  for (const nothing of [[], '[]', ' , '])
    expect(await answers({ questionsToInclude: nothing })).toEqual(await answers({}));
  for (const nothing of ["'[]'", '[null]', "','"])
    await expect(answers({ questionsToInclude: `={{ ${nothing} }}` })).rejects.toThrow(
      "'Questions to Include' is empty",
    );
  expect(await read({ output: 'raw', options: { questionsToInclude: ['age'] } })).toEqual(
    await read({ output: 'raw' }),
  );
});

describe('the trigger', () => {
  const fetchTestEvent = async (output: string, options = {}) => {
    const formId = { __rl: true, mode: 'id', value: form.id };
    return jsons(await harness.fetchTestEvent({ triggerOn: 'one', formId, output, options }));
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
    for (const options of [
      {},
      { answerNames: 'slug' },
      { answerNames: 'columnName', addText: true, includeCustomColumns: true },
      { includeSkippedQuestions: false, includeFormAndIds: false },
      { questionsToInclude: ['age', 'own'] },
    ]) {
      const items = await fetchTestEvent(output, options);
      expect(items).toHaveLength(1);
      expect(items).toEqual(await read({ output, options }));
    }
  });
});
