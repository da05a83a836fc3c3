import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import { sampleWorkspace, startEmulator } from '../../emulator/index.ts';
import { KEY, jsons, useHarness, type Parameters } from '../support/harness';
import { PARAMETERS, sampleOf, withValue } from '../support/operations';

const NOW = Date.parse('2026-02-10T09:00:00Z');
const sample = sampleWorkspace();
const seed = { ...sample, forms: [...(sample.forms ?? []), { title: 'Poll' }, { title: 'Order' }] };
const harness = useHarness({ seed });

/** Samples that have to be in the workspace. */
const FOUND: Record<string, () => string | undefined> = {
  formId: () => harness.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id,
  teamMemberId: () => harness.emulator.workspace.members.find(({ email }) => email.startsWith('grace'))?.id,
};

/** What the optional parameters change; other operations ignore it. */
const BASE: Parameters = { limit: 4, updateFields: { firstName: 'Gracia', lastName: 'Okafor-Bello' } };

const rows = PARAMETERS.filter(({ within }) => within.every(isForTool)).map(({ fields, ...row }) => ({
  ...row,
  needed: fields.filter(({ required }) => required === true),
}));
type Row = (typeof rows)[number];

it.each(rows)("$title takes an agent's $path, as text or as JSON, like the value that a user enters", async (row) => {
  const value = valueOf(row.within.at(-1) ?? {}, row.path, row.title);
  const texts = Array.isArray(value) ? [value.join(', '), value] : new Set([String(value), value]);
  const parameters = parametersOf(row);
  const entered = await outcome(withValue(parameters, row.path, value));
  expect(entered.requests.length).toBeGreaterThan(0);
  for (const fromModel of texts) expect(await outcomeByModel(parameters, row.path, fromModel)).toEqual(entered);
  if (row.needed.some(({ name }) => name === row.path)) return;
  // Nothing from the model means that the parameter is not set.
  const unset = await outcome(withValue(parameters, row.path, undefined));
  expect(unset).not.toEqual(entered);
  for (const blank of ['', ' ']) expect(await outcomeByModel(parameters, row.path, blank)).toEqual(unset);
});

/** What a run sends, in any order, and what it returns, in a workspace of its own: a write can succeed only once. */
async function outcome(parameters: Parameters, input: IDataObject = {}) {
  const emulator = await startEmulator({ seed, clock: { now: () => NOW }, apiKey: KEY, isStrict: true });
  try {
    const credentials = { ...harness.credentials, baseUrl: emulator.url };
    const items = await harness.run(parameters, { items: [input], asTool: true, credentials });
    const requests = emulator.requests.map(({ method, path, query, body }) =>
      JSON.stringify({ method, path, query, body }),
    );
    return { requests: requests.sort(), items: JSON.stringify(jsons(items)).replaceAll(emulator.url, '') };
  } finally {
    await emulator.close();
  }
}

/** The same with the expression of the button beside the field; a form and a member are then given By ID. */
async function outcomeByModel(parameters: Parameters, path: string, value: GenericValue) {
  const expression = "={{ $fromAI('value', '', 'string') }}";
  const entered = path.endsWith('Id') ? { __rl: true, mode: 'id', value: expression } : expression;
  return await outcome(withValue(parameters, path, entered), { query: { value } });
}

/** What a user enters: another choice than the default, or the sample. */
function valueOf({ type, default: preset, options = [] }: Partial<INodeProperties>, path: string, title: string) {
  if (type === 'boolean') return preset !== true;
  const other = options.find((option) => 'value' in option && option.value !== preset);
  if (other && 'value' in other) return other.value;
  return FOUND[path]?.() ?? sampleOf(title, path);
}

/** The parameters without which the operation cannot run, and those that the optional ones change. */
function parametersOf({ title, parameters: { resource, operation }, needed }: Row): Parameters {
  const given: Parameters = { ...BASE, resource, operation };
  for (const field of needed) given[field.name] = valueOf(field, field.name, title);
  return given;
}

function isForTool({ displayOptions }: Pick<INodeProperties, 'displayOptions'>): boolean {
  return displayOptions?.hide?.['@tool'] === undefined;
}
