import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { sampleWorkspace } from '../../emulator/index.ts';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { useHarness, jsons, type Parameters } from '../support/harness';
import { schemaOf } from '../support/jsonSchema';
import { OPERATIONS, type Operation } from '../support/operations';

/** Where n8n looks for what a node returns before it ran; the folder's name is the node's version. */
const folder = join(__dirname, '../../nodes/NeetoForm/__schema__/v1.0.0');

/** With WRITE_GENERATED set, writes the files instead of comparing them. */
const isWriting = process.env['WRITE_GENERATED'] !== undefined;

/** Objects whose keys are questions or columns of the user's own. */
const isOpen = (path: string) => ['answers', 'custom_columns'].includes(path);

const harness = useHarness({ seed: sampleWorkspace() });

const contactForm = () => harness.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';

/** Parameters with which an operation succeeds: samples, the IDs of what exists, and otherwise the defaults. */
function successful({ parameters: { output: _output, ...parameters } }: Operation): Parameters {
  const { emails } = parameters;
  const email = typeof emails === 'string' ? emails : 'jane@example.com';
  const { id } = harness.emulator.workspace.addMember({ email });
  const existing: Parameters = { formId: contactForm(), teamMemberId: id };
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, existing[name] ?? value]));
}

const schemaName = ({ parameters: { resource, operation } }: Operation) => `${String(resource)}/${String(operation)}`;

/** A row without the columns of questions: the preview must offer none that the user's own form may not have. */
function withoutAnswers(row: IDataObject): IDataObject {
  const { questions = [] } = harness.emulator.workspace.forms.find(({ id }) => id === contactForm()) ?? {};
  const labels = questions.map(({ label }) => label);
  expect(Object.keys(row)).toEqual(expect.arrayContaining(labels));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !labels.includes(name)));
}

function expectSchema(name: string, output: unknown[]): void {
  expect(output.length).toBeGreaterThan(0);
  const file = join(folder, `${name}.json`);
  const schema = { ...schemaOf(output, isOpen), version: 1 };
  if (isWriting) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  }
  expect(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : 'no file').toEqual(schema);
}

describe('the output schemas that n8n shows before the first run', () => {
  it.each(OPERATIONS)('describe exactly what $title returns', async (operation) => {
    const items = jsons(await harness.run(successful(operation)));
    expectSchema(schemaName(operation), operation.title === 'submission: getAll' ? items.map(withoutAnswers) : items);
  });

  it('describe exactly what the trigger returns', async () => {
    const formId = { __rl: true, mode: 'id', value: contactForm() };
    const items = await harness.fetchTestEvent({ triggerOn: 'one', formId });
    expectSchema('output', jsons(items).map(withoutAnswers));
  });

  it('are those of the operations and of the trigger, and no others', () => {
    const files = globSync('**/*.json', { cwd: folder }).map((file) => file.replace(/\.json$/, ''));
    expect(files.sort()).toEqual([...OPERATIONS.map(schemaName), 'output'].sort());
  });

  it('have the version of the nodes', () => {
    for (const { description } of [new NeetoForm(), new NeetoFormTrigger()]) expect(description.version).toBe(1);
  });
});
