import { fileName, mimeType } from '../../nodes/NeetoForm/downloads/fileName';

const address = 'https://app.neetoform.com/files/1/from%20the%20address.bin?x=1';
const named = (name: string, headers = {}, url = address) =>
  fileName({ name, key: 'Resume_1', question: 'Resume', url }, headers, url);

describe('the name of a file', () => {
  it('comes from the answer, else from the server, else from the address, else from the question', () => {
    const headers = { 'content-disposition': 'attachment; filename=server.txt' };
    expect(named('answer.txt', headers)).toBe('answer.txt');
    expect(named('', headers)).toBe('server.txt');
    expect(named('')).toBe('from the address.bin');
    expect(named('..', {}, 'https://app.neetoform.com/')).toBe('Resume_1');
  });

  it.each([
    ['attachment; filename=plain.txt; size=3', 'plain.txt'],
    ['attachment; filename="fallback.txt"; filename*=UTF-8\'\'%E2%82%AC.txt', '€.txt'],
    ["attachment; filename* = UTF-8'en'b%20c.txt", 'b c.txt'],
    ['attachment; filename = "d \\"e\\".txt"', 'd "e".txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ["attachment; filename*=UTF-8''%zz", '%zz'],
    ['attachment', 'from the address.bin'],
  ])('is read from the header %s', (disposition, name) => {
    expect(named('', { 'content-disposition': disposition })).toBe(name);
  });

  it.each(['../../evil.sh', '..\\..\\evil.sh', '/etc/evil.sh', 'evil\u0000.sh'])('is never a path: %p', (name) => {
    expect(named(name)).toBe('evil.sh');
  });

  it.each([
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\u2066b\u2069\u200e\u061c.txt', 'ab.txt'],
    [' a\u202e .txt ', 'a .txt'],
    ['a\u2028b\u0007\ud800.txt', 'ab.txt'],
    [`${'x'.repeat(5_000)}.pdf`, `${'x'.repeat(196)}.pdf`],
    [`${'x'.repeat(195)}😀😀.pdf`, `${'x'.repeat(195)}.pdf`],
    ['x'.repeat(300), 'x'.repeat(200)],
    [`a.${'b'.repeat(300)}`, `a.${'b'.repeat(198)}`],
    ['👩‍💻.txt', '👩‍💻.txt'],
  ])('has no characters that control how text is shown, and at most 200: %#', (name, shown) => {
    expect(named(name)).toBe(shown);
  });
});

it.each([
  ['text/plain; charset=utf-8', 'text/plain'],
  [' Image/PNG ', 'image/png'],
  ['', undefined],
  [undefined, undefined],
])('the type of a file is read from the header %p', (header, type) => {
  expect(mimeType({ 'content-type': header })).toBe(type);
});
