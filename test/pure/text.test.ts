import { hasWords, searchWords } from '../../nodes/NeetoForm/text';

it.each<[text: unknown, search: string, found: boolean]>([
  ['Contact us', 'US contact', true],
  ['Contact us', 'contact press', false],
  ['CONTACT US', '  con   us\n', true],
  ['Contact us', '', true],
  [undefined, 'contact', false],
  ['Mu\u0308ller', 'M\u00fcller', true],
])('%j has all the words of the search %j: %s', (text, search, found) => {
  expect(hasWords(text, searchWords(search))).toBe(found);
});
