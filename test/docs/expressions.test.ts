import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { hash } from '../../emulator/random.ts';
import type { Json } from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { codeBlocksOf, codeSpansOf, tablesOf, type Table } from '../../verify/markdown.ts';
import { useBench, type Parameters } from '../support/bench';
import { createPoller } from '../support/engine';
import { evaluate } from './support/expression';

const readme = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');
const tables = tablesOf(readme).filter(({ heading }) => heading === 'Expressions to copy');
const [shown = '{}'] = codeBlocksOf(readme)
  .filter(({ language }) => language === 'json')
  .map(({ lines }) => lines.join('\n'));

/** The README's item, as a user would have to make it: a form with these questions, and a submission with these answers. */
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

const bench = useBench();

interface Shown extends IDataObject {
  id: string;
  created_at: string;
  form_id: string;
}
const example = JSON.parse(shown) as Shown;

/** The same form with a file that can be fetched here: the one of the example is at the service. */
const WITH_FILE = 'form-with-a-file';

beforeEach(() => {
  const { workspace } = bench.emulator;
  const file = workspace.addFile({
    name: 'plan.pdf',
    type: 'application/pdf',
    data: new TextEncoder().encode('A plan'),
  });
  workspace.addForm({ id: WITH_FILE, title: 'Contact', questions: QUESTIONS });
  workspace.addSubmission(WITH_FILE, {
    answers: {
      ...ANSWERS,
      'file-upload': { files: [{ name: file.name, url: `${bench.emulator.url}/files/${file.id}/${file.name}` }] },
    },
  });
  const form = workspace.addForm({ id: example.form_id, title: 'Contact', questions: QUESTIONS });
  workspace.addSubmission(form.id, {
    id: example.id,
    createdAt: example.created_at,
    answers: ANSWERS,
    fieldValues: [{ id: '1', field_id: '8c1f7a2e-5b4d-4e0f-9b6a-2f1d3c4b5a60', data: { value: 'Open' } }],
  });
});

const formId = { __rl: true, mode: 'id', value: example.form_id };

type Giver = (parameters: Parameters) => Promise<INodeExecutionData[]>;

/** Who gives the item. */
const givers: Array<[string, Giver]> = [
  [
    'the node',
    async (parameters) => await bench.run({ resource: 'submission', operation: 'getAll', formId, ...parameters }),
  ],
  [
    'the trigger',
    async (parameters) => {
      const poller = createPoller(new NeetoFormTrigger(), {
        credentials: bench.credentials,
        parameters: { formId, ...parameters },
      });
      return (await poller.poll({ mode: 'manual' }))?.flat() ?? [];
    },
  ],
];

/** The parameters that a sentence of the README tells: "With **Output** set to **Raw**". */
function parametersIn(sentence: string): Parameters {
  const told = [...sentence.matchAll(/\*\*([^*]+)\*\* (?:set to \*\*([^*]+)\*\*|(switched on))/g)];
  const { properties } = new NeetoFormTrigger().description;
  const options = properties.flatMap(({ name, options: inner = [] }) =>
    name === 'options' ? (inner as INodeProperties[]) : [],
  );
  const parameters: Parameters = {};
  const inOptions: Parameters = {};
  for (const [, label = '', choice, isOn] of told) {
    const field = [...properties, ...options].find(({ displayName }) => displayName === label);
    if (field === undefined) throw new Error(`There is no parameter ${label}`);
    const value = isOn === undefined ? field.options?.find(({ name }) => name === choice) : { value: true };
    if (value === undefined || !('value' in value)) throw new Error(`${label} has no choice ${choice ?? ''}`);
    (options.includes(field) ? inOptions : parameters)[field.name] = value.value;
  }
  return { ...parameters, ...('downloadFiles' in inOptions && { formId: WITH_FILE }), options: inOptions };
}

/** As the README writes what an expression gives: text as it is, anything else as JSON. */
function written(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const isCode = (cell: string) => /^`[^`]+`$/.test(cell);
const codeIn = (cell: string) => cell.slice(1, -1);

describe("the README's item", () => {
  it.each(givers)('is what %s gives', async (_who, give) => {
    expect((await give({})).map(({ json }) => json)).toEqual([example]);
  });
});

describe("the README's tables of expressions", () => {
  it('are there for each output, and for answers by slug', () => {
    expect(tables.map(({ lead }) => parametersIn(lead))).toEqual([
      { options: {} },
      { options: { answerKey: 'slug' } },
      { formId: WITH_FILE, options: { downloadFiles: true } },
      { output: 'answers', options: {} },
      { output: 'answers', options: { includeSkipped: true } },
      { output: 'raw', options: {} },
    ]);
  });

  it('have an expression in each row and what it gives', () => {
    expect(
      tables
        .flatMap(({ rows }) => rows)
        .filter(
          ([, expression = '', result = '']) =>
            !isCode(expression) || !/\{\{.+\}\}/.test(expression) || !isCode(result),
        ),
    ).toEqual([]);
  });

  it('would be refused with a parameter or a choice that is not there', () => {
    expect(() => parametersIn('With **Outputs** set to **Raw**')).toThrow('no parameter Outputs');
    expect(() => parametersIn('With **Output** set to **Rough**')).toThrow('no choice Rough');
  });
});

describe.each(tables.map((table): [string, Table] => [table.lead, table]))('%s', (_lead, { lead, rows }) => {
  describe.each(
    rows.map(([what = '', expression = '', result = '']) => ({
      what,
      expression: codeIn(expression),
      result: codeIn(result),
    })),
  )('$what: $expression', ({ expression, result }) => {
    it.each(givers)(`gives ${result} on the item of %s`, async (_who, give) => {
      const [item] = await give(parametersIn(lead));
      if (item === undefined) throw new Error('There is an item');
      expect(written(await evaluate(expression, item))).toBe(result);
    });
  });
});

describe('every other expression in the README', () => {
  const others: Record<string, { item: IDataObject; gives: unknown }> = {
    '{{ $json.people.map(p => p.email) }}': {
      item: { people: [{ email: 'a@b.co' }, { email: 'c@d.co' }] },
      gives: ['a@b.co', 'c@d.co'],
    },
    '{{ $json.removeField("user_agent") }}': {
      item: { id: 'a', user_agent: { ip_address: '203.0.113.7' } },
      gives: { id: 'a' },
    },
  };
  const inTables = new Set(tables.flatMap(({ rows }) => rows.map(([, expression = '']) => codeIn(expression))));
  const found = [...new Set(codeSpansOf(readme).filter((code) => code.includes('{{') && !inTables.has(code)))];

  it('is known here', () => {
    expect(found.sort()).toEqual(Object.keys(others).sort());
  });

  it.each(Object.entries(others))('%s gives what is said of it', async (expression, { item, gives }) => {
    expect(await evaluate(expression, { json: item })).toEqual(gives);
  });

  it('drops the IP address from a raw item, where it is said to', async () => {
    const [item] = await bench.run({ resource: 'submission', operation: 'getAll', formId, output: 'raw' });
    expect(JSON.stringify(item)).toContain(`203.0.113.${1 + (hash(example.id) % 254)}`);
    const dropped = await evaluate('{{ $json.removeField("user_agent") }}', item ?? { json: {} });
    expect(dropped).toMatchObject({ id: example.id, created_at: example.created_at });
    expect(JSON.stringify(dropped)).not.toContain('203.0.113.');
  });
});

describe('an expression', () => {
  it("of a day is in the workflow's time zone", async () => {
    const day = '{{ DateTime.fromISO($json.created_at).toFormat("yyyy-MM-dd") }}';
    const item = { json: { created_at: example.created_at } };
    expect([await evaluate(day, item), await evaluate(day, item, 'Pacific/Honolulu')]).toEqual([
      '2026-02-09',
      '2026-02-08',
    ]);
  });

  it('that does not do what is said of it is found out', async () => {
    const item = { json: { answers: { Topics: ['a', 'b'] } } };
    expect(written(await evaluate('{{ $json.answers["Topics"]?.join(", ") }}', item))).toBe('a, b');
    expect(written(await evaluate('{{ $json.answers["Topic"]?.join(", ") }}', item))).not.toBe('a, b');
    await expect(evaluate('{{ $json.answers["Topics"', item)).rejects.toThrow();
  });
});
