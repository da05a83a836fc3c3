import fc from 'fast-check';

import { filesIn, flatten, limitDepth, toCell } from '../../nodes/NeetoForm/submissions/answers';

const url = 'https://x.test/a.pdf';
const file = { name: 'a.pdf', url };
const files = [file, { name: 'b.pdf', url: 'https://x.test/b.pdf' }];
const urls = 'https://x.test/a.pdf, https://x.test/b.pdf';
const numbered = { id: '1', ...file, qty: 3 };
const addressAsList = [
  { label: 'Street', value: 'Main St 1' },
  { label: 'City', value: '' },
  { label: 'Country', value: 'India' },
];
const inPune = { Street: 'Main St 1', City: 'Pune', State: null };
const wholeName = { suffix: 'Jr.', last_name: 'Roe', middleName: 'Ann', first_name: 'Mia', prefix: 'Dr.' };
const address = (...lines: Array<[label: unknown, content: unknown]>) => ({
  address: lines.map(([label, content]) => ({ label, content })),
});

describe('an answer', () => {
  it.each<[what: string, value: unknown, cell: unknown]>([
    ['a number', 4.5, 4.5],
    ['a boolean', false, false],
    ['null', null, null],
    ['choices of which one is empty', ['Red', '', null, 0], 'Red, 0'],
    ['no choice', [], ''],
    ['a list of files', files, urls],
    ['a name with an empty part', { last_name: 'Roe', first_name: null }, 'Roe'],
    ['a name with blanks around its parts', { firstName: ' Mia ', lastName: 'Roe ' }, 'Mia Roe'],
    ['a first name alone', { first_name: 'Mia' }, 'Mia'],
    ['a last name alone', { lastName: 'Roe' }, 'Roe'],
    ['all parts of a name, in whatever order', wholeName, 'Dr. Mia Ann Roe Jr.'],
    ['a full name in camel case', { fullName: 'Mia Roe' }, 'Mia Roe'],
    ['a full name beside its parts', { fullName: 'Mia Roe', firstName: 'Mia' }, 'Mia Roe'],
    ['parts beside a full name without a value', { fullName: '', firstName: 'Mia' }, 'Mia'],
    ['a name that is blank', { fullName: null }, ''],
    ['an address as a list', addressAsList, 'Main St 1, India'],
  ])('that is %s keeps its shape, and fits a cell', (_what, value, cell) => {
    expect([flatten('text', value), toCell('text', value)]).toEqual([value, cell]);
  });

  it.each<[what: string, value: unknown, answer: unknown, cell: unknown]>([
    ['nothing', undefined, null, null],
    ['a phone', { country_name: 'India', value: '+91 98765 43210' }, '+91 98765 43210', '+91 98765 43210'],
    ['a phone of which only the country was chosen', { country_name: 'India', value: null }, null, null],
    ['an address', address(...Object.entries(inPune)), inPune, 'Main St 1, Pune'],
    ['an address with equal labels', address(['A', '1'], ['A', '2']), { A: '1', 'A (2)': '2' }, '1, 2'],
    ['an address with values', { address: [{ label: 'City', value: 'Pune' }] }, { City: 'Pune' }, 'Pune'],
    ['an address with IDs', { address: [{ id: 1, label: 'City', content: 'Pune' }] }, { City: 'Pune' }, 'Pune'],
    ['an address without lines', { address: [] }, {}, ''],
    ['files with more properties', { files: [numbered] }, [numbered], url],
    ['no files', { files: [] }, [], ''],
  ])('that is %s is flattened, and fits a cell', (_what, value, answer, cell) => {
    expect([flatten('text', value), toCell('text', value)]).toEqual([answer, cell]);
  });

  it.each<[what: string, value: unknown, answer: unknown, cell: unknown]>([
    ['JSON of files', JSON.stringify({ files }), files, urls],
    ['JSON of a list of files', ` ${JSON.stringify([numbered])}`, [numbered], url],
    ['a URL', url, [{ name: '', url }], url],
    ['URLs', files.map(({ url: each }) => each), files.map(({ url: each }) => ({ name: '', url: each })), urls],
    ['one file', file, [file], url],
    ['a file without a name', [{ url: 'http://x.test' }], [{ name: '', url: 'http://x.test' }], 'http://x.test'],
    ['some other text', 'none', 'none', 'none'],
    ['an empty text', '', '', ''],
    ['JSON of something else', '{"a":1}', '{"a":1}', '{"a":1}'],
  ])('to a question about files is a list of files: %s', (_what, value, answer, cell) => {
    expect([flatten('file_upload', value), toCell('file_upload', value)]).toEqual([answer, cell]);
  });

  it.each<[what: string, value: unknown, kind?: string]>([
    ['an object with a value, but no phone', { value: '7', unit: 'kg' }],
    ['a phone whose number is no text', { country_name: 'India', value: { digits: '98' } }],
    ['a name with something else', { first_name: 'Mia', age: 7 }],
    ['a full name with something else', { fullName: 'Mia', age: 7 }],
    ['a list of labels', [{ label: 'Red' }]],
    ['a list of lines, one of which is no text', [{ label: 'Row', value: { points: 1 } }]],
    ['a prefix without a name', { prefix: 'Dr.' }],
    ['parts of a name that name nobody', { prefix: 'Dr.', middle_name: 'Ann', suffix: 'Jr.' }],
    ['links that are not files', [{ url: 'https://x.test', label: 'Home' }]],
    ['one link', { ...file, price: 3 }],
    ['a URL that is no text', [{ name: 'a', url: 1 }]],
    ['files and other objects', [file, { url }]],
    ['files beside something else in a list', [...files, 'b']],
    ['files beside something else in an object', { files, note: 'keep' }],
    ['files beside something else in an upload', { files, note: 'keep' }, 'file_upload'],
    ['no files beside something else', { files: [], note: 'keep' }],
    ['an address that is text', { address: 'Main St 1' }],
    ['an address with a line that is no object', { address: [{ label: 'City', content: 'Pune' }, 'India'] }],
    ['an address with a label that is no text', address([1, 'Pune'])],
    ['an address beside something else', { ...address(['City', 'Pune']), floor: 3 }],
    ['nested lists', [['a'], ['b', 'c']]],
  ])('of a shape that is not known stays as it is, and is JSON in a cell: %s', (_what, value, kind = 'text') => {
    expect([flatten(kind, value), toCell(kind, value)]).toEqual([value, JSON.stringify(value)]);
  });

  it('stays the text that a respondent typed when the question is not about files', () => {
    const typed = [[{ ...file, price: 3 }], { files }, { files: [], note: 'x' }, { first_name: 'Mia' }, 7, null];
    const texts = fc.constantFrom(...typed.map((value) => JSON.stringify(value)), url, '{"files": yes!');
    const kinds = fc.constantFrom('', 'short_text', 'long_text', 'website');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), texts), kinds, (text, kind) => {
        expect([flatten(kind, text), toCell(kind, text), filesIn(kind, text)]).toEqual([text, text, []]);
      }),
    );
  });
});

it.each(['file', 'File Upload', 'image_upload', 'attachment', 'attachments', 'E-Signature'])(
  'a question is about files when its kind is %s',
  (kind) => {
    expect(filesIn(kind, url)).toEqual([{ name: '', url }]);
  },
);

it.each<[what: string, kind: string, value: unknown, files: unknown[]]>([
  ['a URL without TLS behind spaces in an attachment', 'attachment', ' HTTP://a', [{ name: '', url: ' HTTP://a' }]],
  ['JSON text in a signature', 'signature', JSON.stringify([{ url }]), [{ name: '', url }]],
  ['a named object in a text', 'text', [{ ...file, size: 1 }], [file]],
  ['a list of files in a text', 'text', { files: [{ url }] }, [{ name: '', url }]],
  ['no URL in the middle of an upload', 'file_upload', `See ${url}`, []],
  ['no object without a name in a text', 'text', [{ url }], []],
  ['nothing in files that are no list', 'file_upload', { files: url }, []],
])('the files in an answer are %s', (_what, kind, value, found) => {
  expect(filesIn(kind, value)).toEqual(found);
});

describe('a value that is nested too deep', () => {
  const nested = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : [nested(levels - 1, inner)]);

  it('keeps a hundred levels, and has … for what is deeper', () => {
    const value = [null, 'text', nested(99, []), { key: nested(98, { deeper: 1 }) }];
    expect(limitDepth(value)).toEqual([null, 'text', nested(99, '…'), { key: nested(98, '…') }]);
  });

  it('is otherwise returned as it is', () => {
    const value = [null, nested(99, 1), { key: nested(98, 1) }];
    expect(limitDepth(value)).toBe(value);
  });
});
