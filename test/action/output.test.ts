import type { INodeProperties } from 'n8n-workflow';

import { outputOptions } from '../../nodes/NeetoForm/fields/submissionOutput';
import { jsons, range, type Parameters } from '../support/harness';
import { useFilledForm } from './filledForm';

const filled = useFilledForm();
const { formWith, harness, readForm, submit } = filled;

const read = async (more = {}) => jsons(await readForm(more));

describe('the output', () => {
  beforeEach(() => {
    formWith({ label: 'Name' }, { label: 'E-mail' });
    submit(
      { name: 'Mia', 'e-mail': 'mia@example.com' },
      { id: 'first', createdAt, fieldValues: [{ id: '1', field_id: 'priority', data: { value: 'high' } }] },
    );
  });

  const answers = { Name: 'Mia', 'E-mail': 'mia@example.com' };
  const createdAt = Date.parse('2026-02-09T08:30:00.000Z');
  const time = { created_at: '2026-02-09T08:30:00.000Z' };

  it('is the time and the answers alone without Include Form and IDs, which concerns a Row only', async () => {
    const options = { includeFormAndIds: false };
    expect(await read({ options })).toEqual([{ ...time, ...answers }]);
    for (const output of ['simplified', 'raw']) expect(await read({ output, options })).toEqual(await read({ output }));
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
    const parameters = { resource: 'submission', operation: 'getAll', formId: filled.form.id };
    const items = await harness.run(parameters, { items: [{}, {}, {}] });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
    await read({ output: 'raw' });
    const path = `GET /v2/forms/${filled.form.id}`;
    const asked = harness.requests().map((request) => request.replace(/\?.*/, ''));
    expect(asked.toSorted()).toEqual([path, ...range(4).map(() => `${path}/submissions`)]);
  });

  it.each([404, 403])('is complete when the form answers %i: labels come from the answers', async (status) => {
    harness.emulator.fail({ when: { path: /\/forms\/[^/]+$/ }, with: { status, body: { error: 'No.' } } });
    const others = { form_title: null, form_id: filled.form.id, submission_id: 'first' };
    expect(await read()).toEqual([{ ...time, ...answers, ...others }]);
    // The form may have a question that nobody answered.
    const options = { questionsToInclude: ['name', 'age'], includeFormAndIds: false };
    harness.emulator.fail({ when: { path: /\/forms\/[^/]+$/ }, with: { status, body: { error: 'No.' } } });
    expect(await read({ options })).toEqual([{ ...time, Name: 'Mia' }]);
  });
});

it('Questions to Include chooses the answers, under the names they have among all, and all when it is blank', async () => {
  formWith({ label: 'Name', slug: 'own' }, { label: 'Name', slug: 'other' }, { label: 'Age, years', slug: 'age' });
  submit({ own: 'Mia', other: 'Tom' });
  const answers = async (options: object) =>
    (await read({ options, output: 'simplified' })).map((item) => item['answers']);
  expect(await answers({ questionsToInclude: ['age', 'other'] })).toEqual([{ 'Name (2)': 'Tom', 'Age, years': null }]);
  expect(await answers({ questionsToInclude: 'age, YEARS' })).toEqual([{ 'Age, years': null }]);
  await expect(answers({ questionsToInclude: 'age, gone' })).rejects.toThrow(
    "'Questions to Include' names what is no question of this form: gone",
  );
  for (const nothing of [[], '[]', ' , ', ', ,'])
    expect(await answers({ questionsToInclude: nothing })).toEqual(await answers({}));
  for (const nothing of ["'[]'", '[null]', "','"])
    await expect(answers({ questionsToInclude: `={{ ${nothing} }}` })).rejects.toThrow(
      "'Questions to Include' is empty",
    );
});

/** What a user can set an option to. */
function settingsOf({ name, type, default: value, options = [] }: INodeProperties): Parameters[] {
  if (type === 'boolean') return [{ [name]: value !== true }];
  const choices = options.flatMap((choice) => ('value' in choice && choice.value !== value ? [choice.value] : []));
  if (choices.length > 0) return choices.map((choice) => ({ [name]: choice }));
  if (name === 'questionsToInclude') return [{ [name]: ['age', 'own'] }];
  throw new Error(`Add a value of '${name}'`);
}

const settings = Object.values(outputOptions).flatMap(settingsOf);
const all = settings.reduce((together, setting) => ({ ...together, ...setting }), {});
const combinations = [{}, ...settings, ...settings.map((setting) => ({ ...all, ...setting }))];

describe('with each option alone, and together with all others,', () => {
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

  it.each(['simplified', 'row', 'raw'])('the trigger returns the same %s item as the node', async (output) => {
    const formId = { __rl: true, mode: 'id', value: filled.form.id };
    for (const options of combinations) {
      const items = await harness.fetchTestEvent({ triggerOn: 'one', formId, output, options });
      expect(items).toHaveLength(1);
      expect(jsons(items)).toEqual(await read({ output, options }));
    }
  });

  it('a raw item stays as it is', async () => {
    const raw = await read({ output: 'raw' });
    for (const options of combinations) expect(await read({ output: 'raw', options })).toEqual(raw);
  });
});
