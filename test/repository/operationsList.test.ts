import type { INodeProperties } from 'n8n-workflow';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { OPERATIONS } from '../support/operations';
import { expectGenerated, pathTo, readText } from './repositoryFiles';

const section = /(?<=<!-- operations:start -->\n)[^]*?(?=<!-- operations:end -->)/;

const resources = new NeetoForm().description.properties.find(({ name }) => name === 'resource')?.options ?? [];
const isCollection = ({ type }: INodeProperties) => type === 'collection';

/** A required parameter is bold; a collection lists what can be added. */
function describeParameter({ displayName, required, type, options = [] }: INodeProperties): string {
  if (type !== 'collection') return required === true ? `**${displayName}**` : displayName;
  const names = options.map((option) => ('displayName' in option ? option.displayName : option.name));
  return `*${displayName}*: ${names.join(', ')}`;
}

/** A line per operation: what the panel offers for it, collections last. */
function operationsList(): string {
  const lines = OPERATIONS.map(({ name, parameters, fields }) => {
    const resource = resources.find((option) => 'value' in option && option.value === parameters['resource']);
    const offered = fields.filter(({ type }) => type !== 'notice');
    const plain = offered.filter((field) => !isCollection(field)).map(describeParameter);
    const collections = offered.filter(isCollection).map(describeParameter);
    const list = [plain.join(', '), ...collections].filter((part) => part !== '').join('; ');
    // An operation without parameters is its name alone.
    return `- ${resource?.name} > ${name}${list && `: ${list}`}\n`;
  });
  return lines.join('');
}

it('the README lists every operation with its parameters', () => {
  const text = readText('README.md');
  expect(text).toMatch(section);
  expectGenerated(pathTo('README.md'), text.replace(section, operationsList()));
});
