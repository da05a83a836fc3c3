import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { sampleWorkspace } from '../../emulator/index.ts';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { useHarness, jsons, type Parameters } from '../support/harness';
import { createPoller } from '../support/engine';
import { schemaOf } from '../support/jsonSchema';
import { OPERATIONS } from '../support/operations';

/** Where n8n looks for what a node returns before it ran; the folder's name is the node's version. */
const folder = join(__dirname, '../../nodes/NeetoForm/__schema__/v1.0.0');

/** `npm run schemas` writes the files instead of comparing them. */
const isWriting = process.env['WRITE_SCHEMAS'] !== undefined;

/** Objects whose keys are questions or columns of the user's own. */
const isOpen = (path: string) => ['answers', 'custom_columns'].includes(path);

const harness = useHarness({ seed: sampleWorkspace() });

const memberId = () => harness.emulator.workspace.members.find(({ email }) => email.startsWith('grace'))?.id ?? '';
const formId = () => harness.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';

/** Parameters with which each operation succeeds; everything else has its default. */
const RUNS: Record<string, () => Parameters> = {
  'form/create': () => ({ title: 'New form' }),
  'form/get': () => ({ formId: formId() }),
  'form/getAll': () => ({}),
  'submission/count': () => ({ formId: formId() }),
  'submission/getAll': () => ({ formId: formId() }),
  'teamMember/add': () => ({ emails: 'new@example.com' }),
  'teamMember/get': () => ({ teamMemberId: memberId() }),
  'teamMember/getAll': () => ({}),
  'teamMember/remove': () => ({ teamMemberId: memberId() }),
  'teamMember/removeByEmail': () => ({ emails: 'grace.okafor@example.com' }),
  'teamMember/update': () => ({ teamMemberId: memberId(), updateFields: { firstName: 'Grace' } }),
};

const operations = unique(
  OPERATIONS.map(({ parameters: { resource, operation } }) => `${String(resource)}/${String(operation)}`),
);

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
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
  it.each(operations)('describe exactly what %s returns', async (name) => {
    const [resource, operation] = name.split('/');
    const items = await harness.run({ resource, operation, ...RUNS[name]?.() });
    expectSchema(name, jsons(items));
  });

  it('describe exactly what the trigger returns', async () => {
    const poller = createPoller(new NeetoFormTrigger(), {
      credentials: harness.credentials,
      parameters: { watch: 'one', formId: { __rl: true, mode: 'id', value: formId() } },
    });
    const [items = []] = (await poller.poll({ mode: 'manual' })) ?? [];
    expectSchema('output', jsons(items));
  });

  it('are those of the operations and of the trigger, and no others', () => {
    const files = globSync('**/*.json', { cwd: folder }).map((file) => file.replace(/\.json$/, ''));
    expect(files.sort()).toEqual([...operations, 'output'].sort());
  });

  it('have the version of the nodes', () => {
    for (const { description } of [new NeetoForm(), new NeetoFormTrigger()]) expect(description.version).toBe(1);
  });
});
