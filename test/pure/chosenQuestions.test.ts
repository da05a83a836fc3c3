import { UserError } from 'n8n-workflow';

import { chooseColumns, type Column } from '../../nodes/NeetoForm/submissions/columnNames';

const column = (slug: string, label: string, name = label): Column => ({
  question: { slug, label, position: 1, kind: '' },
  name,
});

const columns = [
  column('type-a-question', 'City, country'),
  column('own-name', 'Name'),
  column('other-name', 'Name', 'Name (2)'),
  column('age', ' Your  age? '),
  column('Size', 'Height'),
  column('height', 'Size'),
  column('blank', ''),
];

const slugsOf = (entries: string[], refuseUnknown = true) =>
  chooseColumns(columns, entries, refuseUnknown).map(({ question }) => question.slug);

it.each<[what: string, entries: string[], slugs: string[]]>([
  ['slugs, and keeps the order of the form', ['age', 'own-name'], ['own-name', 'age']],
  ['a slug before a label', ['Size'], ['Size']],
  ['a label in any case, with any blanks', ['your AGE?'], ['age']],
  ['a label with a comma', ['City, country'], ['type-a-question']],
  ['several in one text', ['age\nother-name,own-name, '], ['own-name', 'other-name', 'age']],
  ['a slug in any case', ['BLANK'], ['blank']],
  ['all questions of one label', ['name'], ['own-name', 'other-name']],
  ['the name of a column', ['Name (2)'], ['other-name']],
])('Questions to Include understands %s', (_what, entries, slugs) => {
  expect(slugsOf(entries)).toEqual(slugs);
});

it('Questions to Include names what is no question of the form, and the questions there are', () => {
  const choose = () => slugsOf(['age', 'Town, country', '__proto__']);
  const message = "'Questions to Include' names what is no question of this form: Town, country, __proto__";
  const description =
    "Enter labels or slugs of the form's questions: City, country (type-a-question), Name (own-name), Name (other-name), Your  age? (age), Height (Size), Size (height), blank.";
  expect(choose).toThrow(UserError);
  expect(choose).toThrow(expect.objectContaining({ message, description }) as Error);
});

it('Questions to Include leaves out what it is not to refuse, and then perhaps everything', () => {
  expect(slugsOf(['age', 'town'], false)).toEqual(['age']);
  expect(slugsOf(['town'], false)).toEqual([]);
});
