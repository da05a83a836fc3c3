import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { isObject } from './engine/workflow';
import type { Parameters } from './harness';

/** An ID that nothing has. */
export const ID = '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20';

/** Values with which every operation makes exactly one request. */
const SAMPLES: Parameters = {
  emails: 'jane@example.com',
  formId: ID,
  output: 'raw',
  teamMemberId: ID,
  title: 'New',
  updateFields: { firstName: 'Jane' },
};

const { properties } = new NeetoForm().description;

export type Operation = ReturnType<typeof operationOf>;

export const OPERATIONS = properties
  .filter(({ name }) => name === 'operation')
  .flatMap((property) => optionsOf(property).map((option) => operationOf(shownFor(property, 'resource')[0], option)));

/** All operations, and Get Many of team members once more, with the deprecated version of the API. */
export const OPERATIONS_AND_VERSIONS = OPERATIONS.flatMap((operation) => {
  const { title, parameters } = operation;
  if (title !== 'teamMember: getAll') return [operation];
  const deprecated = { ...parameters, options: { apiVersion: 'v1' } };
  const path = '/api/external/v1/team_members';
  return [operation, { ...operation, path, title: `${title} of version 1`, parameters: deprecated }];
});

/** Every parameter of every operation: `limit`, and those in collections: `filters.status`. */
export const PARAMETERS = OPERATIONS.flatMap((operation) =>
  operation.fields.flatMap(({ options = [], ...field }) => {
    if (field.type === 'notice') return [];
    if (field.type !== 'collection')
      return [{ ...operation, path: field.name, label: field.displayName, within: [field] }];
    return options.flatMap((option) =>
      'type' in option
        ? [{ ...operation, path: `${field.name}.${option.name}`, label: option.displayName, within: [field, option] }]
        : [],
    );
  }),
);

/** Parameters with another value at a path, or without it when the value is undefined. */
export function withValue(parameters: Parameters, path: string, value: unknown): Parameters {
  const [name = '', field] = path.split('.');
  const changed = structuredClone(parameters);
  const group = field === undefined ? changed : (changed[name] ??= {});
  if (!isObject(group)) throw new Error(`${name} is no collection`);
  if (value === undefined) Reflect.deleteProperty(group, field ?? name);
  else group[field ?? name] = value;
  return changed;
}

function operationOf(resource: unknown, { name, value, action, routing }: INodePropertyOptions) {
  const parameters: Parameters = { resource, operation: value };
  const fields = properties.filter(
    (property) => shownFor(property, 'resource').includes(resource) && shownFor(property, 'operation').includes(value),
  );
  for (const field of fields) {
    if (field.name in SAMPLES) parameters[field.name] = SAMPLES[field.name];
    else if (field.required === true) throw new Error(`Add a value for the required field '${field.name}' to SAMPLES`);
  }
  const { method = 'GET', url = '' } = routing?.request ?? {};
  const idParameter = /\{(\w+)\}/.exec(url)?.[1];
  return {
    title: `${String(resource)}: ${value}`,
    name,
    action,
    method,
    path: url.replace(/\{\w+\}/, ID),
    parameters,
    fields,
    idParameter,
  };
}

function optionsOf({ options = [] }: INodeProperties): INodePropertyOptions[] {
  return options.filter((option): option is INodePropertyOptions => 'value' in option);
}

function shownFor({ displayOptions }: INodeProperties, parameter: string): unknown[] {
  return displayOptions?.show?.[parameter] ?? [];
}
