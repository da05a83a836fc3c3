import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { isObject } from './engine/workflow';
import type { Parameters } from './harness';

/** An ID that nothing has. */
export const ID = '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20';

type Sample = string | number | boolean | string[];

/** A value of every parameter that is required, or is a text or number that an agent can set. The title of an operation before a path means that one only. */
const SAMPLES: Record<string, Sample> = {
  emails: 'grace.okafor@example.com',
  'teamMember: add emails': 'new.person@example.com',
  formId: ID,
  limit: 3,
  output: 'simplified',
  teamMemberId: ID,
  title: 'New form',
  'additionalFields.createdByEmail': 'eve.martin@example.com',
  'additionalFields.invitedBy': 'eve.martin@example.com',
  'additionalFields.organizationRole': 'Editor',
  'filters.email': 'grace.okafor@example.com',
  'filters.search': 'Grace OKAFOR',
  'filters.submittedAfter': '2026-02-08',
  'filters.submittedBefore': '2026-02-01T12:00:00Z',
  'filters.title': 'contact',
  'options.questionsToInclude': ['email-address', 'full-name'],
  'updateFields.email': 'grace@example.com',
  'updateFields.firstName': 'Greta',
  'updateFields.lastName': 'Bello',
  'updateFields.organizationRole': 'Editor',
  'updateFields.timeZone': 'Europe/Berlin',
};

/** @param title of the operation @param path of the parameter */
export function sampleOf(title: string, path: string): Sample {
  const sample = SAMPLES[`${title} ${path}`] ?? SAMPLES[path];
  if (sample === undefined) throw new Error(`Add a value of '${path}' to SAMPLES`);
  return sample;
}

/** With these beside the required parameters, every operation makes exactly one request. */
const ONE_REQUEST: Parameters = { output: 'raw', updateFields: { firstName: 'Greta' } };

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
  const title = `${String(resource)}: ${value}`;
  for (const { name: field, required } of fields) {
    if (field in ONE_REQUEST) parameters[field] = ONE_REQUEST[field];
    else if (required === true) parameters[field] = sampleOf(title, field);
  }
  const { method = 'GET', url = '' } = routing?.request ?? {};
  const idParameter = /\{(\w+)\}/.exec(url)?.[1];
  return {
    title,
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
