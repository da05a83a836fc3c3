import { comparable, hasWords, searchWords } from '../../nodes/NeetoForm/text';

it.each<[text: unknown, search: string, found: boolean]>([
  ['Contact us', 'US contact', true],
  ['Contact us', 'contact press', false],
  ['CONTACT US', '  con   us\n', true],
  ['Contact us', '', true],
  [undefined, 'contact', false],
  ['Mu\u0308ller', 'M\u00fcller', true],
  ['M\u00fcller', 'Mu\u0308ller', true],
  ['jane at example, doe in com', 'jane.doe@example.com', false],
  ['C', 'c++', false],
])('%j has all the words of the search %j: %s', (text, search, found) => {
  expect(hasWords(text, searchWords(search))).toBe(found);
});

it('texts are compared without case, number of blanks, and ways to write a letter', () => {
  expect(comparable(' Mu\u0308ller  & Co\n')).toBe(comparable('m\u00dcller & CO'));
});
