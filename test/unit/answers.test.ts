import { filesIn, flatten, toCell } from '../../nodes/NeetoForm/submissions/answers';

const url = 'https://files.example.com/a.pdf';

describe('the files in an answer', () => {
  it.each<[what: string, kind: string, value: unknown, files: unknown[]]>([
    ['an address in an upload', 'file_upload', url, [{ name: '', url }]],
    ['an address without TLS in an upload', 'file_upload', 'http://a.example', [{ name: '', url: 'http://a.example' }]],
    ['an address behind spaces in an upload', 'file_upload', ` ${url}`, [{ name: '', url: ` ${url}` }]],
    ['JSON text in an upload', 'signature', JSON.stringify([{ url }]), [{ name: '', url }]],
    ['an object without a name in an upload', 'attachment', { url }, [{ name: '', url }]],
    ['a named object in a text', 'text', [{ name: 'a.pdf', url, size: 1 }], [{ name: 'a.pdf', url }]],
    ['a list of files in a text', 'text', { files: [{ url }] }, [{ name: '', url }]],
  ])('are found: %s', (_what, kind, value, files) => {
    expect(filesIn(kind, value)).toEqual(files);
  });

  it.each<[what: string, kind: string, value: unknown]>([
    ['an address in a text', 'text', url],
    ['an address in the middle of an upload', 'file_upload', `See ${url}`],
    ['an address behind another scheme', 'file_upload', `view-source:${url}`],
    ['an object without a name in a text', 'text', [{ url }]],
    ['files that are no list', 'file_upload', { files: url }],
    ['an address that is no text', 'file_upload', { name: 'a.pdf', url: 1 }],
    ['null in an upload', 'file_upload', null],
    ['nothing in an upload', 'file_upload', undefined],
  ])('are none: %s', (_what, kind, value) => {
    expect(filesIn(kind, value)).toEqual([]);
  });
});

describe('an answer', () => {
  it.each(['text', 'file_upload'])('without a value is null (%s)', (kind) => {
    expect(flatten(kind, undefined)).toBeNull();
  });

  it('of files with something else beside them loses nothing', () => {
    const value = { files: [{ name: 'a.pdf', url }], note: 'Two more follow' };
    expect(flatten('file_upload', value)).toEqual(value);
  });
});

describe('an address', () => {
  it.each<[what: string, lines: unknown[]]>([
    ['a line that is no object', [{ label: 'City', content: 'Rome' }, 'Italy']],
    ['a label that is no text', [{ label: 1, content: 'Rome' }]],
  ])('with %s is left as it is', (_what, address) => {
    expect(flatten('address', { address })).toEqual({ address });
  });
});

describe('a cell', () => {
  it.each<[what: string, value: unknown, cell: string]>([
    ['a first name alone', { first_name: 'Mia' }, 'Mia'],
    ['a last name alone', { last_name: 'Rossi', prefix: 'Dr.' }, 'Dr. Rossi'],
    ['a prefix without a name as JSON', { prefix: 'Dr.' }, '{"prefix":"Dr."}'],
    [
      'files and other objects as JSON',
      [{ name: 'a', url }, { url }],
      `[{"name":"a","url":"${url}"},{"url":"${url}"}]`,
    ],
    ['an address that is no text as JSON', [{ name: 'a', url: 1 }], '[{"name":"a","url":1}]'],
  ])('has %s', (_what, value, cell) => {
    expect(toCell('text', value)).toBe(cell);
  });
});
