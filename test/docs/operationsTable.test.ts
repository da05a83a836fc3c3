import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';

const readme = join(__dirname, '../../README.md');
const section = /(?<=<!-- operations:start -->\n)[^]*?(?=<!-- operations:end -->)/;

const { properties } = new NeetoForm().description;

/** The names and values to choose from, or what can be added to a collection. */
const optionsOf = ({ options = [] }: INodeProperties) =>
  options.map((option) => ({
    name: 'displayName' in option ? option.displayName : option.name,
    value: 'value' in option ? option.value : undefined,
  }));

const isFor = (field: string, value: unknown) => (property: INodeProperties) =>
  property.displayOptions?.show?.[field]?.some((shown) => shown === value) === true;

const isCollection = ({ type }: INodeProperties) => type === 'collection';

function describeParameter(property: INodeProperties): string {
  const { displayName, required } = property;
  if (isCollection(property)) {
    const names = optionsOf(property).map(({ name }) => name);
    return `*${displayName}*: ${names.join(', ')}`;
  }
  return required === true ? `**${displayName}**` : displayName;
}

/** A row per operation: what the panel offers for it, required parameters bold, collections last. */
function operationsTable(): string {
  const resources = properties.filter(({ name }) => name === 'resource').flatMap(optionsOf);
  const rows = resources.flatMap((resource) => {
    const ofResource = properties.filter(isFor('resource', resource.value));
    const operations = ofResource.filter(({ name }) => name === 'operation').flatMap(optionsOf);
    return operations.map((operation, index) => {
      const fields = ofResource.filter(isFor('operation', operation.value)).filter(({ type }) => type !== 'notice');
      const plain = fields.filter((field) => !isCollection(field)).map(describeParameter);
      const collections = fields.filter(isCollection).map(describeParameter);
      const parameters = [plain.join(', '), ...collections].join('; ');
      return [index === 0 ? resource.name : '', operation.name, parameters];
    });
  });
  const lines = [['Resource', 'Operation', 'Parameters (**required**)'], ['---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

it('the README lists every operation with its parameters', () => {
  const text = readFileSync(readme, 'utf8');
  const table = operationsTable();
  // `npm run generate` writes the table instead of comparing it.
  if (process.env['WRITE_GENERATED'] !== undefined) writeFileSync(readme, text.replace(section, table));
  else expect(section.exec(text)?.[0]).toBe(table);
});
