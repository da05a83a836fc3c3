import type { GenericValue, IDataObject, INodeProperties } from 'n8n-workflow';

import { sampleWorkspace, createClock, startEmulator } from '../../emulator/index.ts';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { KEY, jsons, useHarness, type Parameters } from '../support/harness';
import { validateExchanges } from '../support/openapi';

const NOW = Date.parse('2026-02-10T09:00:00Z');
const seed = sampleWorkspace();
const harness = useHarness({ seed });

const formId = () => harness.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
const memberId = () => harness.emulator.workspace.members.find(({ email }) => email.startsWith('grace'))?.id ?? '';

/** A value as a user enters it, or how to find it in the workspace. */
type Value = string | number | boolean | string[] | (() => string);

interface Case {
  /** What is set apart from the parameters below. */
  base?: Parameters;
  /** The parameters without which the operation cannot run. */
  required?: Record<string, Value>;
  /** All others, each with a value that changes what is sent or returned. */
  optional?: Record<string, Value>;
}

/** For every operation, a value of every parameter that its panel offers for a tool. */
const CASES: Record<string, Case> = {
  'form/create': { required: { title: 'New form' }, optional: { createdByEmail: 'eve.martin@example.com' } },
  'form/get': { required: { formId } },
  'form/getAll': {
    base: { limit: 1 },
    optional: {
      returnAll: true,
      limit: 2,
      simplify: false,
      'filters.status': 'favorite',
      'filters.title': 'contact',
      'sort.order': 'asc',
    },
  },
  'submission/count': {
    required: { formId },
    optional: { 'filters.submittedAfter': '2026-02-01', 'filters.submittedBefore': '2026-02-01T12:00:00Z' },
  },
  'submission/getAll': {
    base: { limit: 4 },
    required: { formId },
    optional: {
      returnAll: true,
      limit: 3,
      output: 'row',
      'filters.submittedAfter': '2026-02-08',
      'filters.submittedBefore': '2026-02-01T12:00:00Z',
      'options.answerKey': 'slug',
      'options.includeSkipped': false,
      'options.questions': ['email-address', 'full-name'],
      'sort.order': 'asc',
    },
  },
  'teamMember/add': {
    required: { emails: 'jane@example.com, joe@example.com' },
    optional: {
      'additionalFields.invitedBy': 'eve.martin@example.com',
      'additionalFields.organizationRole': 'Editor',
      'additionalFields.sendInvitationEmail': false,
    },
  },
  'teamMember/get': { required: { teamMemberId: memberId } },
  'teamMember/getAll': {
    base: { limit: 2 },
    optional: {
      returnAll: true,
      limit: 3,
      'filters.email': 'grace.okafor@example.com',
      'options.apiVersion': 'v1',
    },
  },
  'teamMember/remove': { required: { teamMemberId: memberId } },
  'teamMember/removeByEmail': { required: { emails: 'grace.okafor@example.com' } },
  'teamMember/update': {
    base: { updateFields: { firstName: 'Gracia', lastName: 'Okafor-Bello' } },
    required: { teamMemberId: memberId },
    optional: {
      'updateFields.email': 'grace@example.com',
      'updateFields.firstName': 'Greta',
      'updateFields.lastName': 'Bello',
      'updateFields.organizationRole': 'Editor',
      'updateFields.timeZone': 'Europe/Berlin',
    },
  },
};

const rows = (group: 'required' | 'optional') =>
  Object.entries(CASES).flatMap(([operation, each]) =>
    Object.entries(each[group] ?? {}).map(([path, value]) => ({ operation, path, value })),
  );

describe('as the tool of an agent', () => {
  it('has a value for every parameter of every operation in these tests', () => {
    const offered = new NeetoForm().description.properties.filter(isForTool).flatMap((property) => {
      const { resource = [], operation = [] } = property.displayOptions?.show ?? {};
      const paths = property.type === 'collection' ? fieldsOf(property) : [property.name];
      const name = [...resource, ...operation].filter((each) => typeof each === 'string').join('/');
      return paths.map((path) => `${name} ${path}`);
    });
    const tested = [...rows('required'), ...rows('optional')].map(({ operation, path }) => `${operation} ${path}`);
    expect(tested.sort()).toEqual(offered.sort());
  });

  it.each([...rows('required'), ...rows('optional')])(
    '$operation takes $path from the model, as text or as JSON, like the value that a user enters',
    async ({ operation, path, value: given }) => {
      const value = valueOf(given);
      const texts = Array.isArray(value) ? [value.join(', '), value] : [String(value), value];
      const parameters = parametersOf(operation);
      const entered = await outcome(withValue(parameters, path, value));
      expect(entered.requests.length).toBeGreaterThan(0);
      for (const fromModel of texts) expect(await outcomeByModel(parameters, path, fromModel)).toEqual(entered);
    },
  );

  it.each(rows('optional'))(
    '$operation takes an empty $path from the model as not set, which makes a difference',
    async ({ operation, path, value }) => {
      const parameters = parametersOf(operation);
      const unset = await outcome(withValue(parameters, path, undefined));
      expect(await outcomeByModel(parameters, path, '')).toEqual(unset);
      expect(await outcome(withValue(parameters, path, valueOf(value)))).not.toEqual(unset);
    },
  );
});

interface Outcome {
  requests: string[];
  /** The items as JSON. */
  items: string;
}

/** What a run sends, in any order, and what it returns, in a workspace of its own: a write can succeed only once. */
async function outcome(parameters: Parameters, input: IDataObject = {}): Promise<Outcome> {
  const emulator = await startEmulator({ seed, clock: createClock(NOW), apiKey: KEY });
  try {
    const credentials = { ...harness.credentials, baseUrl: emulator.url };
    const items = await harness.run(parameters, { items: [input], asTool: true, credentials });
    expect(await validateExchanges(emulator.requests)).toEqual([]);
    const requests = emulator.requests.map(({ method, path, query, body }) =>
      JSON.stringify({ method, path, query, body }),
    );
    return { requests: requests.sort(), items: JSON.stringify(jsons(items)).replaceAll(emulator.url, '') };
  } finally {
    await emulator.close();
  }
}

async function outcomeByModel(parameters: Parameters, path: string, value: GenericValue): Promise<Outcome> {
  return await outcome(withValue(parameters, path, fromAi('value', path)), { query: { value } });
}

/** The expression of the button beside a field; a form and a member are then given By ID. */
function fromAi(key: string, path: string): unknown {
  const expression = `={{ $fromAI('${key}', '', 'string') }}`;
  return path.endsWith('Id') ? { __rl: true, mode: 'id', value: expression } : expression;
}

function valueOf(value: Value): Exclude<Value, () => string> {
  return typeof value === 'function' ? value() : value;
}

function operationOf(name: string): Parameters {
  const [resource, operation] = name.split('/');
  return { resource, operation };
}

function parametersOf(operation: string): Parameters {
  const { base, required = {} } = CASES[operation] ?? {};
  const parameters: Parameters = { ...operationOf(operation), ...base };
  for (const [path, value] of Object.entries(required)) parameters[path] = valueOf(value);
  return parameters;
}

/** The parameters with another value at a path, or without it when the value is undefined. */
function withValue(parameters: Parameters, path: string, value: unknown): Parameters {
  const [name = '', field] = path.split('.');
  const changed = structuredClone(parameters);
  const group = field === undefined ? changed : (changed[name] ??= {});
  if (!isRecord(group)) throw new Error(`${name} is no collection`);
  if (value === undefined) Reflect.deleteProperty(group, field ?? name);
  else group[field ?? name] = value;
  return changed;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Whether the panel of a tool offers it; n8n decides by itself for the resource and the operation. */
function isForTool({ name, type, displayOptions }: Pick<INodeProperties, 'name' | 'type' | 'displayOptions'>): boolean {
  return (
    type !== 'notice' && !['resource', 'operation'].includes(name) && displayOptions?.hide?.['@tool'] === undefined
  );
}

function fieldsOf({ name, options = [] }: INodeProperties): string[] {
  return options.flatMap((option) => ('type' in option && isForTool(option) ? [`${name}.${option.name}`] : []));
}
