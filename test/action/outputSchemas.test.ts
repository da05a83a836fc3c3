import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { sampleWorkspace } from '../../emulator/index.ts';
import { useHarness, jsons, type Parameters } from '../support/harness';
import { schemaOf } from '../support/jsonSchema';
import { OPERATIONS, type Operation } from '../support/operations';

const nodeDir = join(__dirname, '../../nodes/NeetoForm');

/** Where n8n looks for what a node returns before it ran: by operation, or for a node without one by its version alone. */
const fileOf = (operation: { resource?: string; operation?: string }) =>
  resolveOutputSchemaPath({ nodeDir, version: 1, ...operation }) ?? '';
const fileOfTrigger = fileOf({});

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
  // One who is a member, and one who is not.
  const others = parameters.operation === 'add' ? { emails: `${email}, new@example.com` } : {};
  const existing: Parameters = { formId: contactForm(), teamMemberId: id, ...others };
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, existing[name] ?? value]));
}

const fileOfOperation = ({ parameters: { resource, operation } }: Operation) =>
  fileOf({ resource: String(resource), operation: String(operation) });

/** A row without the columns of questions: the preview must offer none that the user's own form may not have. */
function withoutAnswers(row: IDataObject): IDataObject {
  const { questions = [] } = harness.emulator.workspace.forms.find(({ id }) => id === contactForm()) ?? {};
  const labels = questions.map(({ label }) => label);
  expect(Object.keys(row)).toEqual(expect.arrayContaining(labels));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !labels.includes(name)));
}

function expectSchema(file: string, output: unknown[]): void {
  expect(output.length).toBeGreaterThan(0);
  const schema = `${JSON.stringify({ ...schemaOf(output, isOpen), version: 1 }, null, 2)}\n`;
  if (isWriting) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, schema);
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : 'no file').toBe(schema);
}

describe('the output schemas that n8n shows before the first run', () => {
  it.each(OPERATIONS)('describe exactly what $title returns', async (operation) => {
    const items = jsons(await harness.run(successful(operation)));
    expectSchema(
      fileOfOperation(operation),
      operation.title === 'submission: getAll' ? items.map(withoutAnswers) : items,
    );
  });

  it('describe exactly what the trigger returns', async () => {
    const formId = { __rl: true, mode: 'id', value: contactForm() };
    const items = await harness.fetchTestEvent({ triggerOn: 'one', formId });
    expectSchema(fileOfTrigger, jsons(items).map(withoutAnswers));
  });

  it('are those of the operations and of the trigger, and no others', () => {
    const files = globSync('__schema__/**/*.json', { cwd: nodeDir }).map((file) => join(nodeDir, file));
    expect(files.sort()).toEqual([...OPERATIONS.map(fileOfOperation), fileOfTrigger].sort());
  });
});
