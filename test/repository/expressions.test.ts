import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { NodeConnectionTypes, createEmptyRunExecutionData } from 'n8n-workflow';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Json } from '../../emulator/index.ts';
import { readExample } from '../n8n/e2e/support/examples';
import { useHarness, type Parameters } from '../support/harness';
import { placeholderNode, placeholderType, workflowOf } from '../support/engine/workflow';

const [readme, expressions] = ['README.md', 'docs/expressions.md'].map((path) =>
  readFileSync(resolve(__dirname, '../..', path), 'utf8'),
);
/** The expressions and results in the tables, with the setting that the line above the table names. */
const examples: Array<{ introduction: string; expression: string; result: string }> = [];
let introduction = '';
for (const line of (expressions ?? '').split('\n')) {
  // What follows the name of the setting is an explanation.
  if (/^[^|]/.test(line)) introduction = /^With .*\*\*(?: switched on)?(?=[,:])/.exec(line)?.[0] ?? line;
  const row = /^\|.+\| `([^`]*\{\{.+\}\}[^`]*)` \| `(.*)` \|$/.exec(line.replaceAll('\\|', '¦'));
  const [expression, result] = (row ?? []).slice(1).map((cell) => cell.replaceAll('¦', '|'));
  if (expression !== undefined && result !== undefined) examples.push({ introduction, expression, result });
}
/** The item that a document shows. */
const itemIn = (document = '') => JSON.parse(/^```json\n([^]*?)^```/m.exec(document)?.[1] ?? '{}') as Shown;

/** The form and the answers that lead to the item in the documents. */
const QUESTIONS = [
  { label: 'Your name', kind: 'short_text', slug: 'your-name' },
  { label: 'Contact person', kind: 'name', slug: 'full-name' },
  { label: "What's your e-mail (e.g. a@b.c)?", kind: 'email', slug: 'email-address' },
  { label: 'Topics', kind: 'multiple_choice', slug: 'topics' },
  { label: 'Seats', kind: 'number', slug: 'number' },
  { label: 'Phone', kind: 'phone', slug: 'phone-number' },
  { label: 'Address', kind: 'address', slug: 'address' },
  { label: 'Attachment', kind: 'file_upload', slug: 'file-upload' },
  { label: 'Company', kind: 'short_text', slug: 'company' },
];

const ANSWERS: Record<string, Json> = {
  'your-name': 'Ada Lovelace',
  'full-name': { first_name: 'Grace', last_name: 'Hopper' },
  'email-address': 'ada@example.com',
  topics: ['Pricing', 'Support'],
  number: '12',
  'phone-number': { country_name: 'United Kingdom', value: '+44 20 7946 0000' },
  address: {
    address: [
      { label: 'City', content: 'London' },
      { label: 'Country', content: 'United Kingdom' },
    ],
  },
  'file-upload': { files: [{ name: 'plan.pdf', url: 'https://app.neetoform.com/files/plan.pdf' }] },
};

interface Shown extends IDataObject {
  id: string;
  created_at: string;
  form_id: string;
}
const [row, example] = [itemIn(readme), itemIn(expressions)];

/** The same form, with a file that the emulator serves. */
const WITH_FILE = 'form-with-a-file';

const uploads = { 'file-upload': { name: 'plan.pdf', type: 'application/pdf', data: Buffer.from('A plan') } };
const submission = {
  id: example.id,
  createdAt: example.created_at,
  answers: ANSWERS,
  fieldValues: [{ id: '1', field_id: '8c1f7a2e-5b4d-4e0f-9b6a-2f1d3c4b5a60', data: { value: 'Open' } }],
};
const form = { title: 'Contact us', questions: QUESTIONS };
const forms = [
  { ...form, id: WITH_FILE, submissions: [{ answers: ANSWERS, uploads }] },
  { ...form, id: example.form_id, submissions: [submission] },
];
const harness = useHarness({ seed: { forms } });

const formId = { __rl: true, mode: 'id', value: example.form_id };

/** The parameters that the sentences above the tables describe. */
const settings: Record<string, Parameters> = {
  'With **Add Text** switched on': { options: { addText: true } },
  'With **Output** set to **Simplified**': { output: 'simplified' },
  'With **Output** set to **Raw**': { output: 'raw' },
  'With **Answer Names** set to **Column Name**': { options: { answerNames: 'columnName' } },
  'With **Answer Names** set to **Question Slug**': { options: { answerNames: 'slug' } },
  'With **Download Files** switched on': {
    formId: { ...formId, value: WITH_FILE },
    options: { downloadFiles: true },
  },
};

async function itemsOfNode(parameters: Parameters = {}): Promise<INodeExecutionData[]> {
  return await harness.run({ resource: 'submission', operation: 'getAll', formId, ...parameters });
}

async function itemsOfTrigger(parameters: Parameters = {}): Promise<INodeExecutionData[]> {
  return await harness.fetchTestEvent({ formId, ...parameters });
}

it.each([
  ['the node', itemsOfNode],
  ['the trigger', itemsOfTrigger],
])('the items in the documents are what %s returns', async (_who, items) => {
  expect(JSON.stringify((await items()).map(({ json }) => json))).toBe(JSON.stringify([row]));
  expect((await items({ output: 'simplified' })).map(({ json }) => json)).toEqual([example]);
});

describe('the expressions in the documents', () => {
  const introductions = [...new Set(examples.map(({ introduction }) => introduction))];

  it('are in tables for the default output and for others', () => {
    expect(examples.length).toBeGreaterThan(30);
    expect(introductions.filter((each) => each.startsWith('With ')).sort()).toEqual(Object.keys(settings).sort());
  });

  it.each(introductions)('%s the expressions give the results in the table', async (introduction) => {
    const [item] = await itemsOfNode(settings[introduction]);
    if (item === undefined) throw new Error('There is no item');
    const documented = examples.filter((example) => example.introduction === introduction);
    const given: typeof documented = [];
    for (const { expression } of documented) {
      const value = await evaluate(expression, item);
      const result = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
      given.push({ introduction, expression, result });
    }
    expect(given).toEqual(documented);
  });
});

describe('the expression for spreadsheets', () => {
  const [, whole = ''] = /^## Spreadsheets\n[^]*?^```\n(.+)\n```$/m.exec(expressions ?? '') ?? [];
  const through = async (json: IDataObject) => await evaluate(whole, { json });

  it('is the one in the example that writes CSV files', () => {
    const nodes = readExample('nightly-csv-export.json').nodes.map(({ parameters }) => parameters['jsonOutput']);
    expect(nodes).toContain(`=${whole}`);
  });

  it("puts a ' before what a spreadsheet would run, in every column, and leaves numbers and other texts alone", async () => {
    const formulas = { a: '=1', b: '+1', c: '-1+1', d: '@SUM(1)', e: '\t=1', f: '\r=1', g: '＝1', h: '--1', i: '-' };
    const disarmed = Object.entries(formulas).map(([name, value]) => [name, `'${value}`]);
    expect(await through(formulas)).toEqual(Object.fromEntries(disarmed));
    const harmless = { a: 'x=1', b: '-12', c: '-1.5', d: -3, e: 4, f: true, g: null, h: '', i: "'=1" };
    expect(await through(harmless)).toEqual(harmless);
  });
});

/** Evaluates an expression, with its braces, in a node after the trigger that returned the item. */
async function evaluate(text: string, item: INodeExecutionData): Promise<unknown> {
  const [TRIGGER, NEXT] = ['NeetoForm Trigger', 'Next'];
  const next = placeholderNode(NEXT);
  const workflow = workflowOf(placeholderType(), [placeholderNode(TRIGGER), next], {
    connections: { [TRIGGER]: { main: [[{ node: NEXT, type: NodeConnectionTypes.Main, index: 0 }]] } },
    settings: { timezone: 'UTC' },
  });
  const items = [{ ...item, pairedItem: { item: 0 } }];
  const data = { main: [items] };
  const run = createEmptyRunExecutionData();
  run.resultData.runData = { [TRIGGER]: [{ startTime: 0, executionTime: 0, executionIndex: 0, source: [], data }] };
  const executeData = { node: next, data, source: { main: [{ previousNode: TRIGGER }] } };
  return await workflow.expression.withIsolate(
    async () =>
      workflow.expression.getParameterValue(`=${text}`, run, 0, 0, NEXT, items, 'trigger', {}, executeData) as unknown,
  );
}
