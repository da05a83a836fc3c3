import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Json } from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';

import { useHarness, type Parameters } from '../support/harness';
import { createPoller } from '../support/engine';
import { evaluate } from './evaluate';
import { codeBlocks, tables, type Table } from './markdown';

const root = resolve(__dirname, '../..');
const documents = ['README.md', 'docs/expressions.md']
  .filter((path) => existsSync(join(root, path)))
  .map((path) => readFileSync(join(root, path), 'utf8'));
const isExpression = (cell: string) => /^`[^`]*\{\{.+\}\}[^`]*`$/.test(cell);
const expressionTables = documents
  .flatMap(tables)
  .filter(({ rows }) => rows.some(([, expression = '', result]) => isExpression(expression) && result !== undefined));
const [shown = '{}'] = documents
  .flatMap(codeBlocks)
  .filter(({ language }) => language === 'json')
  .map(({ code }) => code);

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

const harness = useHarness();

interface Shown extends IDataObject {
  id: string;
  created_at: string;
  form_id: string;
}
const example = JSON.parse(shown) as Shown;

/** The same form, with a file that the emulator serves. */
const WITH_FILE = 'form-with-a-file';

beforeEach(() => {
  const { workspace } = harness.emulator;
  const file = workspace.addFile({
    name: 'plan.pdf',
    type: 'application/pdf',
    data: new TextEncoder().encode('A plan'),
  });
  workspace.addForm({ id: WITH_FILE, title: 'Contact us', questions: QUESTIONS });
  workspace.addSubmission(WITH_FILE, {
    answers: {
      ...ANSWERS,
      'file-upload': { files: [{ name: file.name, url: `${harness.emulator.url}/files/${file.id}/${file.name}` }] },
    },
  });
  const form = workspace.addForm({ id: example.form_id, title: 'Contact us', questions: QUESTIONS });
  workspace.addSubmission(form.id, {
    id: example.id,
    createdAt: example.created_at,
    answers: ANSWERS,
    fieldValues: [{ id: '1', field_id: '8c1f7a2e-5b4d-4e0f-9b6a-2f1d3c4b5a60', data: { value: 'Open' } }],
  });
});

const formId = { __rl: true, mode: 'id', value: example.form_id };

type Run = (parameters: Parameters) => Promise<INodeExecutionData[]>;

const nodes: Array<[string, Run]> = [
  [
    'the node',
    async (parameters) => await harness.run({ resource: 'submission', operation: 'getAll', formId, ...parameters }),
  ],
  [
    'the trigger',
    async (parameters) => {
      const poller = createPoller(new NeetoFormTrigger(), {
        credentials: harness.credentials,
        parameters: { formId, ...parameters },
      });
      return (await poller.poll({ mode: 'manual' }))?.flat() ?? [];
    },
  ],
];

/** The parameters that a sentence describes, such as "With **Output** set to **Raw**" or "**Download Files** switched on". */
function parametersIn(sentence: string): Parameters {
  const settings = [...sentence.matchAll(/\*\*([^*]+)\*\* (?:set to \*\*([^*]+)\*\*|(switched on))/g)];
  const { properties } = new NeetoFormTrigger().description;
  const options = properties.flatMap(({ name, options: inner = [] }) =>
    name === 'options' ? (inner as INodeProperties[]) : [],
  );
  const parameters: Parameters = {};
  const inOptions: Parameters = {};
  for (const [, label = '', choice, isOn] of settings) {
    const field = [...properties, ...options].find(({ displayName }) => displayName === label);
    if (field === undefined) throw new Error(`There is no parameter ${label}`);
    const value = isOn === undefined ? field.options?.find(({ name }) => name === choice) : { value: true };
    if (value === undefined || !('value' in value)) throw new Error(`${label} has no choice ${choice ?? ''}`);
    (options.includes(field) ? inOptions : parameters)[field.name] = value.value;
  }
  return { ...parameters, ...('downloadFiles' in inOptions && { formId: WITH_FILE }), options: inOptions };
}

/** A result as the documents write it: text as it is, other values as JSON. */
function written(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const codeIn = (cell: string) => cell.slice(1, -1);

describe('the item in the documents', () => {
  it.each(nodes)('is what %s returns', async (_who, run) => {
    expect((await run({})).map(({ json }) => json)).toEqual([example]);
  });
});

describe('the expressions in the documents', () => {
  it('are in tables for the default output and for others', () => {
    expect(expressionTables.length).toBeGreaterThan(3);
    expect(expressionTables.flatMap(({ rows }) => rows).length).toBeGreaterThan(20);
  });

  describe.each(expressionTables.map((table): [string, Table] => [table.introduction, table]))(
    '%s',
    (_introduction, { introduction, rows }) => {
      it.each(
        rows.flatMap(([, expression = '', result = '']) =>
          nodes.map(([who, run]) => [expression, result, who, run] as const),
        ),
      )('%s gives %s on an item of %s', async (expression, result, _who, run) => {
        const [item] = await run(parametersIn(introduction));
        if (item === undefined) throw new Error('There is no item');
        expect(written(await evaluate(codeIn(expression), item))).toBe(codeIn(result));
      });
    },
  );
});
