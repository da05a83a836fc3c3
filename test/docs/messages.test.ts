import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { validateId } from '../../nodes/NeetoForm/api/id';
import { tablesOf } from '../../verify/markdown.ts';
import { GAP, messagesIn, tellsOf, textsIn } from './support/messages';

const root = resolve(__dirname, '../..');
const readme = readFileSync(resolve(root, 'README.md'), 'utf8');

/** What the troubleshooting table has on its left, one message a line. */
const rows = tablesOf(readme).flatMap((table) => (table.heading === 'Troubleshooting' ? table.rows : []));
const lines = rows.flatMap(([messages = '']) => messages.split(' / ')).filter((line) => !line.startsWith('`'));

/** What stands in an item instead of a message. */
const inItems = rows.flatMap(([what = '']) => /^`([^`]+)`/.exec(what)?.[1] ?? []);

/** What is wrong with an ID, behind the name of its field. */
const ofIds = ['', '..', 'https://example.com'].map((id) => `'${GAP}' ${validateId(id) ?? ''}`);

/** Behind a message, not one of its own. */
const ENDING = `${GAP} (after ${GAP} attempts)`;

const ours = [...messagesIn(root, 'nodes/**/*.ts', 'credentials/*.ts'), ...ofIds].filter(
  (message) => message !== ENDING,
);

/** The service's own words, as the stand-in gives them, and what the node adds when it was asked for one thing by its ID. */
const services = textsIn(root, 'emulator/{http,routes,store}/*.ts').flatMap((words) => [
  words,
  `${words.replace(/\.$/, '')}: '${GAP}' is ${GAP}`,
]);

/** The fields of a list, and those inside of its collections. */
function fieldsIn(list: Array<INodeProperties | INodePropertyOptions | INodePropertyCollection>): INodeProperties[] {
  return list.flatMap((field) => ('type' in field ? [field, ...fieldsIn(field.options ?? [])] : []));
}

/** What can be wrong with the fields, by their description. */
const faultsOfFields = [new NeetoForm(), new NeetoFormTrigger()]
  .flatMap(({ description }) => fieldsIn(description.properties))
  .flatMap((field) => [
    ...(field.required === true ? [`'${field.displayName}' is empty`] : []),
    ...(field.type === 'dateTime' ? [`'${field.displayName}' is not a date: ${GAP}`] : []),
    ...(field.type === 'number' && field.typeOptions?.minValue !== undefined
      ? [`'${field.displayName}' is less than ${field.typeOptions.minValue}`]
      : []),
  ]);

/** Fields whose message is in other words. */
const IN_OTHER_WORDS: Record<string, string> = {
  "'Max File Size (MB)' is less than 0": "'Max File Size (MB)' is not more than 0",
  "'Look-Back (Minutes)' is less than 0": "'Look-Back' is less than 0",
};

describe('the troubleshooting table', () => {
  it('has a message and what to do in each row', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((cells) => cells.length !== 2 || cells.includes(''))).toEqual([]);
  });

  it('has no message twice', () => {
    expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  });

  it.each(lines)('%s: is a message of the package or of the service', (line) => {
    expect([...ours, ...services].filter((message) => tellsOf(line, message))).not.toEqual([]);
  });

  it.each(ours)('tells of %s', (message) => {
    expect(lines.filter((line) => tellsOf(line, message))).not.toEqual([]);
  });

  it.each([
    'Form does not exist.',
    'Team member not found',
    'order must be asc or desc.',
    'Cannot remove the last admin of the workspace',
    'Could not authenticate, invalid API Key',
  ])("tells of the service's %s", (words) => {
    expect(services).toContain(words);
    expect(lines.filter((line) => line.startsWith(words.replace(/\.$/, '')))).not.toEqual([]);
  });

  it.each([...new Set(faultsOfFields)])('tells of the field: %s', (fault) => {
    expect(lines).toContain(IN_OTHER_WORDS[fault] ?? fault);
  });

  it('names what stands in items as the nodes do', () => {
    expect(inItems).toEqual(['files_not_downloaded']);
    expect(textsIn(root, 'nodes/**/*.ts')).toEqual(expect.arrayContaining(inItems));
  });

  it('says what "(after 5 attempts)" means', () => {
    const [, section = ''] = readme.split('## Troubleshooting');
    expect(section.split('| Message |')[0]).toContain('(after 5 attempts)');
  });
});

describe('the messages of the package', () => {
  it('are found, of each kind', () => {
    expect(ours).toEqual(
      expect.arrayContaining([
        'The service did not answer in time',
        `The list is too long for one input item: ${GAP} results`,
        "The credential's 'API Key' is empty",
        "This address has no form ID in it. Open the form in NeetoForm's editor and copy the address from there, or choose the form from the list",
        'None of these forms has a submission yet',
        'n8n could not send the request',
        `'${GAP}' has entries that are not email addresses: ${GAP}`,
        `'${GAP}' is an address from which no ID can be read`,
        "The service answers too slowly to read the form's latest submissions in the time of one poll",
      ]),
    );
  });
});

describe('a line of the table', () => {
  it.each([
    ['The service sent broken JSON', 'The service sent broken JSON', true],
    ["'Submitted After' is not a date: …", "'…' is not a date: …", true],
    ['… of … forms could not be read: …', '… of … forms could not be read: …', true],
    ['No workspace answers here. …', 'No workspace answers here. Check the address', true],
    ["Form does not exist: 'Form' is …", "Form does not exist: '…' is …", true],
    ['The service sent broken data', 'The service sent broken JSON', false],
    ['The service sent', 'The service sent broken JSON', false],
    ['The service sent broken JSON again', 'The service sent broken JSON', false],
    ['No workspace answers there. …', 'No workspace answers here. Check the address', false],
    ['Something else: …', '… of … forms could not be read: …', false],
    ["'Submitted After' is no date: …", "'…' is not a date: …", false],
    ['…', 'The service sent broken JSON', false],
  ])('%j tells of %j: %s', (line, message, tells) => {
    expect(tellsOf(line, message)).toBe(tells);
  });
});
