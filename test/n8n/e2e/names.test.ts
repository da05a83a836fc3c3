import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IConnection, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { chain, createNode, neetoFormNode, startNode } from '../../../n8n-runner/workflow.ts';
import { fileReaderNode, jsonOf } from './support/examples.ts';
import { useTestInstance } from './support/instance.ts';
import { byId } from './support/workflows.ts';

/** A node behind a row whose columns have these names. */
type MakeNode = (names: Names, options?: INodeParameters) => INode;
type Names = [name: string, first: string, rooms: string, choices: string];

const labels: Names = ['Name', 'Name.first', '1.2 Rooms', 'Options [A]'];
const columnNames: Names = ['name', 'name_first', 'q_1_2_rooms', 'options_a'];
const answers = [
  ['Grace', 'g', '3', 'x'],
  ['Ada', 'a', '2', 'x'],
] as const;
const createdAt = '2026-02-09T05:20:59.464Z';

const make = (type: string, version: number, parameters: (names: Names) => INodeParameters): MakeNode => {
  return (names, options = {}) =>
    createNode(type, `n8n-nodes-base.${type}`, { ...parameters(names), options }, version);
};
const editFields = (parameters: (names: Names) => INodeParameters) => make('set', 3.4, parameters);
const valueOf = (name: string) => `={{ $json[${JSON.stringify(name)}] }}`;
const including = { includeOtherFields: true, assignments: { assignments: [] } };

/** The rows with these names. */
const rows = ([name, first, rooms, choices]: Names, own: IDataObject = {}): IDataObject[] =>
  answers.map(([a, b, c, d]) => ({ ...own, [name]: a, [first]: b, [rooms]: c, [choices]: d }));
const whole = (names: Names) => rows(names, { created_at: createdAt });
const lists = (names: Names): IDataObject[] => [
  Object.fromEntries(names.map((name, index) => [name, answers.map((row) => row[index] ?? '')])),
];
const counts = ([name, first, rooms, choices]: Names): IDataObject[] => [
  { [`count_${name}`]: 2, [`count_${first}`]: 2, [`count_${rooms}`]: 2, [`count_${choices}`]: 2 },
];

interface Case {
  node: MakeNode;
  /** The option that keeps the names. */
  option?: INodeParameters;
  /** What the node returns by itself. */
  byItself: IDataObject[];
  /** What it returns with the option, and with column names. */
  kept(names: Names): IDataObject[];
}

const asObjects = answers.map(([, first, rooms, A]) => ({
  Name: { first },
  1: { '2 Rooms': rooms },
  'Options ': { A },
}));
const dotNotation = { dotNotation: false };

/** By what the documents call them. */
const changing: Record<string, Case> = {
  '**Edit Fields**: JSON': {
    node: editFields(() => ({ mode: 'raw', jsonOutput: '={{ $json }}' })),
    option: dotNotation,
    byItself: asObjects.map((item) => ({ created_at: createdAt, ...item })),
    kept: whole,
  },
  '**Edit Fields**: Manual Mapping': {
    node: editFields((names) => ({
      assignments: { assignments: names.map((name) => ({ id: name, name, type: 'string', value: valueOf(name) })) },
    })),
    option: dotNotation,
    byItself: asObjects,
    kept: rows,
  },
  '**Edit Fields**: Selected': {
    node: editFields((names) => ({ ...including, include: 'selected', includeFields: names.join() })),
    option: dotNotation,
    byItself: answers.map(([Name, first, rooms, A]) => ({ Name, first, '2 Rooms': rooms, 'Options ': { A } })),
    kept: rows,
  },
  '**Aggregate**: Individual Fields': {
    node: make('aggregate', 1, (names) => ({
      fieldsToAggregate: { fieldToAggregate: names.map((fieldToAggregate) => ({ fieldToAggregate })) },
    })),
    option: { disableDotNotation: true },
    byItself: [{ Name: ['Grace', 'Ada'], first: ['g', 'a'], '2 Rooms': ['3', '2'], 'Options ': { A: ['x', 'x'] } }],
    kept: lists,
  },
  '**Summarize**': {
    node: make('summarize', 1.1, (names) => ({
      fieldsToSummarize: { values: names.map((field) => ({ field, aggregation: 'count' })) },
    })),
    byItself: counts(['Name', 'Name_first', '1_2_Rooms', 'Options_A']),
    kept: counts,
  },
};

const [TABLE, COLUMN] = ['Names', 'rooms'];
const dataTableId = { __rl: true, mode: 'name', value: TABLE };
const without = (names: Names, omitted: string[]): IDataObject[] =>
  whole(names).map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.includes(name))));

const keeping: Record<string, Pick<Case, 'kept' | 'node'>> = {
  '**Edit Fields**: All Except': {
    node: editFields(([, first, , choices]) => ({
      ...including,
      include: 'except',
      excludeFields: `${first}, ${choices}`,
    })),
    kept: (names) => without(names, [names[1], names[3]]),
  },
  '**Sort**': {
    node: make('sort', 1, ([, , fieldName]) => ({ sortFieldsUi: { sortField: [{ fieldName, order: 'ascending' }] } })),
    kept: (names) => whole(names).reverse(),
  },
  '**Remove Duplicates**': {
    node: make('removeDuplicates', 2, ([, , , choices]) => ({ compare: 'selectedFields', fieldsToCompare: choices })),
    kept: (names) => whole(names).slice(0, 1),
  },
  '**Rename Keys**': {
    node: make('renameKeys', 1, ([, first, , choices]) => ({
      keys: {
        key: [
          { currentKey: first, newKey: 'given' },
          { currentKey: choices, newKey: 'chosen' },
        ],
      },
    })),
    kept: ([name, , rooms]) => rows([name, 'given', rooms, 'chosen'], { created_at: createdAt }),
  },
  '**Data Table**': {
    node: make('dataTable', 1.1, ([, , rooms]) => ({
      resource: 'row',
      operation: 'insert',
      dataTableId,
      columns: { mappingMode: 'defineBelow', value: { [COLUMN]: valueOf(rooms) }, matchingColumns: [], schema: [] },
    })),
    kept: () => answers.map(([, , rooms]) => expect.objectContaining({ [COLUMN]: rooms }) as IDataObject),
  },
  '**Convert to File**': {
    node: make('convertToFile', 1.1, () => ({ operation: 'csv' })),
    kept: (names) => {
      const lines = [['created_at', ...names], ...answers.map((row) => [createdAt, ...row])];
      return [{ name: expect.any(String) as string, text: `\uFEFF${lines.map((line) => line.join()).join('\n')}` }];
    },
  },
};

const FILE = '**Convert to File**';
const TEXT = 'Text of the file';

describe("n8n's nodes behind a row whose columns have dots and brackets in their names", () => {
  const instance = useTestInstance();
  beforeAll(async () => {
    const columns = { column: [{ name: COLUMN, type: 'string' }] };
    const parameters = { resource: 'table', operation: 'create', tableName: TABLE, columns, options: {} };
    const create = createNode('Create', 'n8n-nodes-base.dataTable', parameters, 1.1);
    expect(await instance().run(chain([startNode(), create]))).toMatchObject({ status: 'success' });
  });

  /** Runs nodes side by side behind Get Many. @returns what they returned, by their names */
  async function runBehind(nodes: Array<[name: string, node: INode]>, options: INodeParameters = {}) {
    const { credential, emulator, run } = instance();
    const questions = labels.map((label, index) => ({ label, slug: `question-${index}` }));
    const form = emulator.workspace.addForm({ title: 'Names', questions });
    for (const row of answers) {
      const given = Object.fromEntries(row.map((answer, index) => [`question-${index}`, answer]));
      emulator.workspace.addSubmission(form.id, { createdAt: Date.parse(createdAt), answers: given });
    }
    const source = neetoFormNode(credential, {
      resource: 'submission',
      operation: 'getAll',
      formId: byId(form.id),
      sort: { order: 'asc' },
      options: { includeFormAndIds: false, ...options },
    });
    const { connections, ...draft } = chain([startNode(), source]);
    const named = [...nodes, [TEXT, fileReaderNode()] as const].map(([name, node]) => ({ ...node, id: name, name }));
    const to = (node: string): IConnection => ({ node, type: 'main', index: 0 });
    const execution = await run({
      ...draft,
      nodes: [...draft.nodes, ...named],
      connections: {
        ...connections,
        [source.name]: { main: [nodes.map(([name]) => to(name))] },
        ...(nodes.some(([name]) => name === FILE) && { [FILE]: { main: [[to(TEXT)]] } }),
      },
    });
    expect(execution).toMatchObject({ status: 'success' });
    return Object.fromEntries(nodes.map(([name]) => [name, jsonOf(execution, name === FILE ? TEXT : name)]));
  }
  const expected = (cases: Record<string, Pick<Case, 'kept'>>, names: Names) =>
    Object.fromEntries(Object.entries(cases).map(([name, { kept }]) => [name, kept(names)]));

  it('are those in the table of the documents', () => {
    const document = readFileSync(join(repositoryFolder, 'docs/expressions.md'), 'utf8');
    const [, section = ''] = /^## Names with dots and brackets\n([^]*?)^## /m.exec(document) ?? [];
    const documented = [...section.matchAll(/^\| (\*\*.+?) \|/gm)].flatMap(([, nodes]) => nodes?.split(' · '));
    expect(documented).toEqual([...Object.keys(changing), ...Object.keys(keeping)]);
  });

  it('read the names as paths, or change them, by themselves', async () => {
    const cases = Object.entries(changing);
    const returned = await runBehind(cases.map(([name, { node }]) => [name, node(labels)]));
    expect(returned).toEqual(Object.fromEntries(cases.map(([name, { byItself }]) => [name, byItself])));
  }, 200_000);

  it('keep the names with the option that the documents name', async () => {
    const { '**Summarize**': _, ...cases } = changing;
    const returned = await runBehind(
      Object.entries(cases).map(([name, { node, option }]) => [name, node(labels, option)]),
    );
    expect(returned).toEqual(expected(cases, labels));
  }, 200_000);

  it('need nothing where the documents say so', async () => {
    const returned = await runBehind(Object.entries(keeping).map(([name, { node }]) => [name, node(labels)]));
    expect(returned).toEqual(expected(keeping, labels));
  }, 200_000);

  it('need nothing with column names', async () => {
    const cases = { ...changing, ...keeping };
    const nodes = Object.entries(cases).map(([name, { node }]): [string, INode] => [name, node(columnNames)]);
    expect(await runBehind(nodes, { answerNames: 'columnName' })).toEqual(expected(cases, columnNames));
  }, 200_000);
});
