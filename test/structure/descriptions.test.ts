import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeHelpers } from 'n8n-workflow';
import type {
  INode,
  INodeParameters,
  INodeProperties,
  INodePropertyCollection,
  INodePropertyOptions,
  INodeTypeDescription,
} from 'n8n-workflow';

import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import actionCodex from '../../nodes/NeetoForm/NeetoForm.node.json';
import triggerCodex from '../../nodes/NeetoForm/NeetoFormTrigger.node.json';
import { anyText } from '../support/harness';

const root = join(__dirname, '../..');

const action = new NeetoForm().description;
const trigger = new NeetoFormTrigger().description;

type Nested = INodeProperties | INodePropertyOptions | INodePropertyCollection;

const isField = (option: Nested): option is INodeProperties => 'type' in option;
const isGroup = (option: Nested): option is INodePropertyCollection => 'values' in option;
const isChoice = (option: Nested): option is INodePropertyOptions => 'value' in option;

/** The field and every field inside it, with the path that leads there. */
function withNested(field: INodeProperties, path = field.name): Array<{ path: string; field: INodeProperties }> {
  const nested = (field.options ?? []).flatMap((option) =>
    isGroup(option) ? option.values : isField(option) ? [option] : [],
  );
  return [{ path, field }, ...nested.flatMap((inner) => withNested(inner, `${path}.${inner.name}`))];
}

const fieldsOf = ({ properties }: INodeTypeDescription) => properties.flatMap((field) => withNested(field));

function choicesOf(
  description: INodeTypeDescription,
  name: string,
  parameters: INodeParameters,
): INodePropertyOptions[] {
  return shownFields(description, parameters)
    .filter((field) => field.name === name)
    .flatMap(({ options }) => (options ?? []).filter(isChoice));
}

/** What the panel shows for these parameters. */
function shownFields(
  { properties, ...description }: INodeTypeDescription,
  parameters: INodeParameters,
): INodeProperties[] {
  const node: INode = {
    id: '',
    name: '',
    type: description.name,
    typeVersion: description.defaultVersion ?? 1,
    position: [0, 0],
    parameters,
  };
  return properties.filter((field) =>
    NodeHelpers.displayParameter(parameters, field, node, { properties, ...description }),
  );
}

const operations = choicesOf(action, 'resource', {}).flatMap((resource) =>
  choicesOf(action, 'operation', { resource: resource.value }).map((operation) => ({
    title: `${String(resource.value)}: ${String(operation.value)}`,
    resource,
    operation,
    fields: shownFields(action, { resource: resource.value, operation: operation.value, returnAll: false }).filter(
      ({ name }) => name !== 'resource' && name !== 'operation',
    ),
  })),
);

const nodes: Array<[string, INodeTypeDescription]> = [
  ['action node', action],
  ['trigger', trigger],
];

const alphabetical = (names: string[]) => [...names].sort((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }));

describe('the operations', () => {
  it('are those that have a file, each resource in a folder', () => {
    const files = globSync('*/*.ts', { cwd: join(__dirname, '../../nodes/NeetoForm/resources') });
    const described = files.filter((file) => !file.endsWith('index.ts')).map((file) => file.replace(/\.ts$/, ''));
    expect(operations.map(({ title }) => title.replace(': ', '/')).sort()).toEqual(described.sort());
  });

  it.each(operations)(
    '$title has a name, a description, and an action in sentence case that names the resource',
    (each) => {
      const { name, description = '', action: said = '' } = each.operation;
      expect([name, description, said]).toEqual([anyText(/^[A-Z]/), anyText(/^[A-Z].*[^.]$/), anyText(/^[A-Z]/)]);
      expect(said.slice(1)).toBe(said.slice(1).toLowerCase());
      expect(said.toLowerCase()).toContain(each.resource.name.toLowerCase());
      expect(name === 'Get Many').toBe(each.operation.value === 'getAll');
      expect(said.startsWith('Get many ')).toBe(each.operation.value === 'getAll');
    },
  );

  it('have one action each, so that the list of actions has no two alike', () => {
    const said = operations.map(({ operation }) => operation.action);
    expect(new Set(said).size).toBe(said.length);
  });
});

describe('the fields of an operation', () => {
  it('belong to a resource and an operation', () => {
    const unscoped = action.properties.filter(({ name, displayOptions }) => {
      const show = displayOptions?.show ?? {};
      return (
        name !== 'resource' && (show.resource === undefined || (name !== 'operation' && show.operation === undefined))
      );
    });
    expect(unscoped.map(({ name }) => name)).toEqual([]);
  });

  it.each(operations)(
    '$title: what is required comes first, what is optional after it, collections last and in alphabetical order',
    ({ fields }) => {
      const rank = ({ required, type }: INodeProperties) => (required === true ? 0 : type === 'collection' ? 2 : 1);
      const ranks = fields.filter(({ type }) => type !== 'notice').map(rank);
      expect(ranks).toEqual([...ranks].sort());
      const collections = fields.filter(({ type }) => type === 'collection').map(({ displayName }) => displayName);
      expect(collections).toEqual(alphabetical(collections));
    },
  );

  it.each(operations)('$title: Return All stands right before Limit, and no two have one name', ({ fields }) => {
    const names = fields.map(({ name }) => name);
    expect(names.indexOf('limit')).toBe(names.includes('returnAll') ? names.indexOf('returnAll') + 1 : -1);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(operations)('$title: no two have one label and different meanings', ({ fields }) => {
    const all = fields.flatMap((each) => withNested(each)).map(({ field }) => field);
    const meanings = new Set(all.map(({ displayName, description = '' }) => `${displayName}: ${description}`));
    expect(meanings.size).toBe(new Set(all.map(({ displayName }) => displayName)).size);
  });
});

describe.each(nodes)('every field of the %s', (_name, description) => {
  const fields = fieldsOf(description);
  const offenders = (breaks: (field: INodeProperties) => boolean) =>
    fields.filter(({ field }) => breaks(field)).map(({ path }) => path);

  it('has a label, and a default of its own', () => {
    expect(offenders(({ displayName, default: value }) => displayName === '' || value === undefined)).toEqual([]);
  });

  it('starts its placeholder with "e.g.", unless it is the button of a collection', () => {
    expect(
      offenders(
        ({ placeholder, type }) =>
          placeholder !== undefined &&
          !placeholder.startsWith(type === 'collection' || type === 'fixedCollection' ? 'Add ' : 'e.g. '),
      ),
    ).toEqual([]);
    const typed = fields.flatMap(({ field }) => field.modes ?? []).filter(({ type }) => type === 'string');
    expect(typed.filter(({ placeholder }) => !placeholder?.startsWith('e.g. '))).toEqual([]);
  });

  it('describes a switch with "Whether"', () => {
    expect(offenders(({ type, description: said }) => type === 'boolean' && !said?.startsWith('Whether '))).toEqual([]);
  });

  it('limits to 50 results, at least one, unless told otherwise', () => {
    for (const { field } of fields.filter(({ path }) => path === 'limit')) {
      expect(field).toMatchObject({
        displayName: 'Limit',
        default: 50,
        description: 'Max number of results to return',
        typeOptions: { minValue: 1 },
      });
    }
  });

  it('lists the fields inside it in alphabetical order, and so the resources and operations', () => {
    expect(
      offenders(({ name, options = [] }) => {
        const isSorted = name === 'resource' || name === 'operation';
        const names = options.flatMap((option) =>
          !isChoice(option) ? [option.displayName] : isSorted ? [option.name] : [],
        );
        return names.join() !== alphabetical(names).join();
      }),
    ).toEqual([]);
  });

  it('has a default that is the first of its choices, apart from resources and operations', () => {
    expect(
      offenders(({ name, type, options = [], default: value, typeOptions }) => {
        if (typeOptions?.loadOptionsMethod !== undefined) return false;
        const values = options.filter(isChoice).map((choice) => choice.value);
        const isSorted = name === 'resource' || name === 'operation';
        return type === 'options' && !(isSorted ? values : values.slice(0, 1)).some((choice) => choice === value);
      }),
    ).toEqual([]);
  });

  it('offers "From List" first where something is picked, and a way that works without the list', () => {
    for (const { field } of fields.filter((each) => each.field.type === 'resourceLocator')) {
      const list = { name: 'list', displayName: 'From List', typeOptions: { searchable: true } };
      expect(field.modes?.[0]).toMatchObject(list);
      expect(field.modes?.map(({ name }) => name)).toContain('id');
      expect(field.default).toMatchObject({ mode: 'list', value: '' });
    }
  });

  it('speaks in words that end, single sentences without a full stop', () => {
    const single = (text: string) => !/[.!?] [A-Z]/.test(text);
    expect(
      offenders(
        ({ description: said }) => said !== undefined && (said.trim() !== said || (single(said) && said.endsWith('.'))),
      ),
    ).toEqual([]);
  });
});

describe('a type of node', () => {
  it.each(nodes)('%s has its icon in light and dark, a subtitle, and asks for the credential', (_name, description) => {
    const icons = { light: 'file:../../icons/neetoForm.svg', dark: 'file:../../icons/neetoForm.dark.svg' };
    expect(description).toMatchObject({ icon: icons, subtitle: anyText(/^=/) });
    expect(description.credentials).toEqual([expect.objectContaining({ name: 'neetoFormApi', required: true })]);
  });

  it('can be given to an agent as a tool, if it acts', () => {
    expect(action.usableAsTool).toBe(true);
    expect(trigger.usableAsTool).not.toBe(true);
  });

  it('starts a workflow by polling, if it is the trigger', () => {
    expect(trigger).toMatchObject({ group: ['trigger'], polling: true, inputs: [] });
  });

  it('says on publication what runs now, after a pause, and not at all', () => {
    expect(trigger.activationMessage).toBe(
      "New submissions now start this workflow. After a pause, those that arrived meanwhile follow. Older ones run only with 'Start From'.",
    );
  });

  it.each(nodes)("%s tells n8n's workflow builder what it is for and what goes with it", (_name, { builderHint }) => {
    expect(builderHint?.searchHint).toMatch(/NeetoForm/);
    expect(builderHint?.relatedNodes?.map(({ nodeType }) => nodeType)).toEqual(
      expect.arrayContaining(['n8n-nodes-base.dataTable']),
    );
  });

  it.each(nodes)('%s has examples in its hint for the builder that are parameters of its own', (_name, description) => {
    const said = [...(description.builderHint?.searchHint ?? '').matchAll(/\b(\w+): (\w+)\b/g)];
    expect(said.length).toBeGreaterThan(0);
    const unknown = said.filter(
      ([, name, value]) =>
        !fieldsOf(description).some(
          ({ field }) => field.name === name && (field.options ?? []).filter(isChoice).some((c) => c.value === value),
        ),
    );
    expect(unknown.map(([text]) => text)).toEqual([]);
  });
});

describe("n8n's node panel", () => {
  const panelLabels = ['event', 'events', 'trigger on'];

  /** The entries under "Triggers": n8n makes them from the choices of the field with one of these labels. */
  const entries = trigger.properties
    .filter(({ displayName }) => panelLabels.includes(displayName.toLowerCase()))
    .flatMap(({ name, options }) => (options ?? []).filter(isChoice).map((choice) => ({ name, choice })));

  it('lists what can start a workflow, the one form first', () => {
    expect(entries.map(({ name, choice }) => [choice.action, name, choice.value])).toEqual([
      ['On new submission', 'watch', 'one'],
      ['On new submission in several forms', 'watch', 'several'],
      ['On new submission in every active form', 'watch', 'active'],
    ]);
  });

  /** The panel has one entry for both nodes. n8n searches it by the aliases of the action node. */
  it('finds the nodes by what a user may call them, and by what the trigger waits for', () => {
    expect(actionCodex.alias).toEqual(
      expect.arrayContaining(['neeto form', 'neetoforms', 'response', 'feedback', 'web form', 'lead form', 'survey']),
    );
    expect(actionCodex.alias).toContain('new submission');
    expect(actionCodex.alias).toEqual(expect.arrayContaining(triggerCodex.alias));
  });
});

describe('a hint in the panel', () => {
  it.each(nodes)('of the %s warns of IP addresses where items are raw, and only there', (_name, { hints = [] }) => {
    const [warning] = hints.filter(({ message }) => message.includes('IP address'));
    expect(warning).toMatchObject({ type: 'warning', displayCondition: anyText(/"output"\] === "raw"/) });
  });

  it('of the trigger says, after a run, that one execution can receive several submissions', () => {
    expect(trigger.hints).toContainEqual(
      expect.objectContaining({ message: anyText(/one execution together/), whenToDisplay: 'afterExecution' }),
    );
  });
});

it('a message names the fields as their panels do', () => {
  const properties = [...fieldsOf(action), ...fieldsOf(trigger)].map(({ field }) => field);
  const shown = [...properties, ...new NeetoFormApi().properties].map(({ displayName }) => displayName);
  // Timeout is n8n's own. Lint demands "Name or ID" of some labels, which their messages leave out.
  const labels = [...shown, ...shown.map((label) => label.replace(/ Name or ID$/, '')), 'Timeout'];
  const sources = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  // In a text that quotes a label, and where a value is read by its label.
  const quoted = /["`][^"`\n]*'([A-Z][A-Za-z ()-]+)'[^"`\n]*["`]|\b(?:require[A-Z]\w+|optionalDate)\('([^']+)'/g;
  const named = sources.flatMap((source) => [...source.matchAll(quoted)].map(([, text, read]) => text ?? read ?? ''));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((label) => !labels.includes(label))).toEqual([]);
});
