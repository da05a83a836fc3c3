import { NodeConnectionTypes, createRunExecutionData } from 'n8n-workflow';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { FieldValue, Json } from '../../emulator/index.ts';
import { readExample } from '../n8n/e2e/support/examples';
import { useHarness, type Parameters } from '../support/harness';
import { placeholderNode, placeholderType, workflowOf } from '../support/engine/workflow';
import { readText } from './repositoryFiles';

const [readme, expressions] = [readText('README.md'), readText('docs/expressions.md')];

/** The expressions and results in the tables, with the setting that the line above the table names. */
const examples: Array<{ introduction: string; expression: string; result: string }> = [];
let introduction = '';
for (const line of expressions.split('\n')) {
  // What follows the name of the setting is an explanation.
  if (/^[^|]/.test(line)) introduction = /^With .*\*\*(?: switched on)?(?=[,:])/.exec(line)?.[0] ?? line;
  const row = /^\|.+\| `([^`]*\{\{.+\}\}[^`]*)` \| `(.*)` \|$/.exec(line.replaceAll('\\|', '¦'));
  const [expression, result] = (row ?? []).slice(1).map((cell) => cell.replaceAll('¦', '|'));
  if (expression !== undefined && result !== undefined) examples.push({ introduction, expression, result });
}

const itemsIn = (document: string) =>
  [...document.matchAll(/^```json\n(\{[^]*?)^```/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
const [row] = itemsIn(readme);
const [simplified, raw] = itemsIn(expressions) as [{ form_id: string }, RawItem];

interface RawItem {
  id: string;
  created_at: string;
  field_values: FieldValue[];
  user_agent: object;
  responses: Array<{ label: string; kind: string; slug: string; value: Json }>;
}

/** The form and the submission that the documents show; one question was skipped. */
const questions = raw.responses.map(({ label, kind, slug }) => ({ label, kind, slug }));
const form = { title: 'Contact us', questions: [...questions, { label: 'Company' }] };
const { id, field_values: fieldValues, responses } = raw;
const createdAt = Date.parse(raw.created_at);

/** The same form, with a file that the emulator serves. */
const WITH_FILE = 'form-with-a-file';
const uploads = { 'file-upload': { name: 'plan.pdf', type: 'application/pdf', text: 'A plan' } };
const forms = [
  { ...form, id: WITH_FILE, submissions: [{ uploads }] },
  { ...form, id: simplified.form_id, submissions: [{ id, createdAt, fieldValues, responses }] },
];
const harness = useHarness({ seed: { forms } });

const locator = (value: string) => ({ __rl: true, mode: 'id', value });

/** The parameters that the sentences above the tables describe. */
const settings: Record<string, Parameters> = {
  'With **Add Text** switched on': { options: { addText: true } },
  'With **Output** set to **Simplified**': { output: 'simplified' },
  'With **Output** set to **Raw**': { output: 'raw' },
  'With **Answer Names** set to **Column Name**': { options: { answerNames: 'columnName' } },
  'With **Answer Names** set to **Question Slug**': { options: { answerNames: 'slug' } },
  'With **Download Files** switched on': { formId: locator(WITH_FILE), options: { downloadFiles: true } },
};

async function itemsOfNode(parameters: Parameters = {}): Promise<INodeExecutionData[]> {
  const formId = locator(simplified.form_id);
  return await harness.run({ resource: 'submission', operation: 'getAll', formId, ...parameters });
}

it('the items in the documents are what the node returns', async () => {
  const jsonOf = async (parameters?: Parameters) => (await itemsOfNode(parameters)).map(({ json }) => json);
  expect(JSON.stringify(await jsonOf())).toBe(JSON.stringify([row]));
  expect(await jsonOf({ output: 'simplified' })).toEqual([simplified]);
  const { user_agent } = raw;
  expect((await jsonOf({ output: 'raw' })).map((item) => ({ ...item, user_agent }))).toEqual([raw]);
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
    for (const example of examples.filter((each) => each.introduction === introduction)) {
      const value = await evaluate(example.expression, item);
      const result = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
      expect({ ...example, result }).toEqual(example);
    }
  });
});

describe('the expression for spreadsheets', () => {
  const [, whole = ''] = /^## Spreadsheets\n[^]*?^```\n(.+)\n```$/m.exec(expressions) ?? [];
  const through = async (json: IDataObject) => await evaluate(whole, { json });

  it('is the one in the example that writes CSV files', () => {
    const nodes = readExample('nightly-csv-export.json').nodes.map(({ parameters }) => parameters['jsonOutput']);
    expect(nodes).toContain(`=${whole}`);
  });

  const formulas = ['=1', '+1', '-1+1', '@SUM(1)', '\t=1', '\r=1', '＝1', '--1', '-'];
  const harmless = ['x=1', '-12', '-1.5', '', "'90s", "it's", 'Name.first', 'Options [A]', '1.2 Rooms'];

  it("puts a ' before what a spreadsheet would run, in every column, and leaves numbers and other texts alone", async () => {
    const columns = (texts: string[]) => Object.fromEntries(texts.entries());
    expect(await through(columns(formulas))).toEqual(columns(formulas.map((text) => `'${text}`)));
    const others = { ...columns(harmless), number: -3, boolean: true, nothing: null };
    expect(await through(others)).toEqual(others);
  });

  it('does the same with the names of columns, and makes no two of them equal', async () => {
    const named = (names: string[]) => Object.fromEntries(names.map((name, index) => [name, index]));
    const protectedNames = formulas.map((name) => `'${name}`);
    const before = [...harmless, ...formulas, ...protectedNames];
    const after = [...harmless, ...protectedNames, ...protectedNames.map((name) => `'${name}`)];
    expect(await through(named(before))).toEqual(named(after));
  });
});

/** Evaluates an expression, with its braces, in a node after the trigger that returned the item. */
async function evaluate(text: string, item: INodeExecutionData): Promise<unknown> {
  const [TRIGGER, NEXT] = ['NeetoForm Trigger', 'Next'];
  const next = placeholderNode(NEXT);
  const workflow = workflowOf(placeholderType(), [placeholderNode(TRIGGER), next], {
    connections: { [TRIGGER]: { main: [[{ node: NEXT, type: NodeConnectionTypes.Main, index: 0 }]] } },
  });
  const items = [{ ...item, pairedItem: { item: 0 } }];
  const data = { main: [items] };
  const runData = { [TRIGGER]: [{ startTime: 0, executionTime: 0, executionIndex: 0, source: [], data }] };
  const run = createRunExecutionData({ resultData: { runData } });
  const executeData = { node: next, data, source: { main: [{ previousNode: TRIGGER }] } };
  return await workflow.expression.withIsolate(
    async () =>
      workflow.expression.getParameterValue(`=${text}`, run, 0, 0, NEXT, items, 'trigger', {}, executeData) as unknown,
  );
}
