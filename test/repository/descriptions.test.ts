import type { INodeProperties } from 'n8n-workflow';

import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { optionsOf } from '../../nodes/NeetoForm/fields/shapes';
import { OPERATIONS } from '../support/operations';

// Lint has n8n's own rules for single fields; these are the rules between fields, and those that lint does not know.

const action = new NeetoForm().description;
const trigger = new NeetoFormTrigger().description;
const nodes = Object.entries({ 'action node': action, trigger });

/** Fields, and those that can be added to collections among them. */
const withNested = (fields: INodeProperties[]): INodeProperties[] =>
  fields.flatMap((field) => [field, ...(field.options ?? []).filter((option) => 'type' in option)]);

/** As the rule of n8n's lint for collections sorts. It does not see collections that a function makes. */
const alphabetical = (names: string[]) => names.toSorted((a, b) => a.localeCompare(b));

const namesIn = ({ options = [] }: INodeProperties) =>
  options.map((option) => ('displayName' in option ? option.displayName : option.name));

it('the operations have one action each, so that the list of actions has no two alike', () => {
  expect(new Set(OPERATIONS.map(({ action }) => action)).size).toBe(OPERATIONS.length);
});

describe('the fields of an operation', () => {
  it.each(OPERATIONS)(
    '$title: what is required comes first, what is optional after it, collections last and in alphabetical order',
    ({ fields }) => {
      const rank = ({ required, type }: INodeProperties) => (required === true ? 0 : type === 'collection' ? 2 : 1);
      const ranks = fields.filter(({ type }) => type !== 'notice').map(rank);
      expect(ranks).toEqual([...ranks].sort());
      const collections = fields.filter(({ type }) => type === 'collection').map(({ displayName }) => displayName);
      expect(collections).toEqual(alphabetical(collections));
    },
  );

  it.each(OPERATIONS)('$title: Return All stands right before Limit, and no two have one name', ({ fields }) => {
    const names = fields.map(({ name }) => name);
    expect(names.indexOf('limit')).toBe(names.includes('returnAll') ? names.indexOf('returnAll') + 1 : -1);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(OPERATIONS)('$title: no two have one label and different meanings', ({ fields }) => {
    const all = withNested(fields);
    const meanings = new Set(all.map(({ displayName, description = '' }) => `${displayName}: ${description}`));
    expect(meanings.size).toBe(new Set(all.map(({ displayName }) => displayName)).size);
  });
});

it('a collection sorts its fields, in upper or lower case', () => {
  const names = ['Include ID', 'Include Form Name', 'Include', 'Include Form and IDs', 'IP Address'];
  const fields = names.map((displayName): INodeProperties => ({
    displayName,
    name: displayName,
    type: 'string',
    default: '',
  }));
  expect(namesIn(optionsOf(fields))).toEqual(alphabetical(names));
});

describe.each(nodes)('every field of the %s', (_name, { properties }) => {
  const fields = withNested(properties);
  const offenders = (breaks: (field: INodeProperties) => boolean) => fields.filter(breaks).map(({ name }) => name);

  it('starts its placeholder with "e.g.", unless it is the button of a collection', () => {
    const start = ({ type }: INodeProperties) => (type === 'collection' ? 'Add ' : 'e.g. ');
    expect(offenders((field) => field.placeholder?.startsWith(start(field)) === false)).toEqual([]);
    const typed = fields.flatMap(({ modes = [] }) => modes).filter(({ type }) => type === 'string');
    expect(typed.filter(({ placeholder }) => !placeholder?.startsWith('e.g. '))).toEqual([]);
  });

  it('lists its choices, or the fields inside it, in alphabetical order', () => {
    for (const field of fields) expect(namesIn(field)).toEqual(alphabetical(namesIn(field)));
  });

  it('offers "From List" first where something is picked, and a way that works without the list', () => {
    for (const field of fields.filter(({ type }) => type === 'resourceLocator')) {
      const list = { name: 'list', displayName: 'From List', typeOptions: { searchable: true } };
      expect(field.modes?.[0]).toMatchObject(list);
      expect(field.modes?.map(({ name }) => name)).toContain('id');
      expect(field.default).toMatchObject({ mode: 'list', value: '' });
    }
  });
});

it.each(nodes)(
  'the %s has examples in its hint for the builder that are parameters of its own',
  (_name, { builderHint, properties }) => {
    const said = [...(builderHint?.searchHint ?? '').matchAll(/\b(\w+): (\w+)\b/g)];
    expect(said.length).toBeGreaterThan(0);
    const choices = withNested(properties).flatMap(({ name, options = [] }) =>
      options.map((option) => 'value' in option && `${name}: ${option.value}`),
    );
    expect(choices).toEqual(expect.arrayContaining(said.map(([text]) => text)));
  },
);

it("the trigger lists in n8n's node panel what can start a workflow, the default first, without a tooltip", () => {
  // n8n makes the entries from the choices of the field with one of these labels.
  const panelLabels = ['event', 'events', 'trigger on'];
  const entries = trigger.properties.filter(({ displayName }) => panelLabels.includes(displayName.toLowerCase()));
  const [first] = entries[0]?.options ?? [];
  expect(entries).toEqual([expect.objectContaining({ default: first && 'value' in first && first.value })]);
  // n8n's reviewers want no tooltip on it.
  expect(entries[0]).not.toHaveProperty('description');
});
