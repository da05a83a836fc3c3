import { globSync } from 'node:fs';
import { join } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { sampleWorkspace } from '../../emulator/index.ts';
import { isObject } from '../support/engine/workflow';
import { useHarness, jsons, type Parameters } from '../support/harness';
import { OPERATIONS, type Operation } from '../support/operations';
import { expectGenerated } from '../repository/repositoryFiles';

const nodeDir = join(__dirname, '../../nodes/NeetoForm');

/** Where n8n looks for what a node returns before it ran: by operation, or for a node without one by its version alone. */
const fileOf = (operation: { resource?: string; operation?: string }) =>
  resolveOutputSchemaPath({ nodeDir, version: 1, ...operation }) ?? '';
const fileOfTrigger = fileOf({});

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
  const schema = `${JSON.stringify({ ...schemaOf(output), version: 1 }, null, 2)}\n`;
  expectGenerated(file, schema);
}

/** Describes all types and keys of values as a JSON Schema, but no keys that are questions or columns of the user's own. */
function schemaOf(values: unknown[], path = ''): object {
  const isOpen = ['answers', 'custom_columns'].includes(path);
  const types = [...new Set(values.map(typeOf))].sort((a, b) => Number(a === 'null') - Number(b === 'null'));
  const objects = values.filter(isObject);
  const elements = values.filter((value) => Array.isArray(value)).flat();
  const keys = new Set(objects.flatMap((object) => Object.keys(object)));
  const propertyOf = (key: string) => {
    const present = objects.filter((object) => key in object).map((object) => object[key]);
    return [key, schemaOf(present, path === '' ? key : `${path}.${key}`)] as const;
  };
  return {
    type: types.length === 1 ? (types[0] ?? 'null') : types,
    ...(objects.length > 0 && !isOpen && { properties: Object.fromEntries([...keys].map(propertyOf)) }),
    ...(elements.length > 0 && { items: schemaOf(elements, `${path}[]`) }),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
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
