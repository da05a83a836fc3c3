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
    expect(named('', {}, 'https://app.neetoform.com/50%.txt')).toBe('50%.txt');
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
    // Without quotes, up to the semicolon.
    ['attachment; filename=plain name.pdf', 'plain name.pdf'],
    ['attachment; FileName = plain name.pdf ; size=3', 'plain name.pdf'],
    ['attachment;filename=plain.txt;size=3', 'plain.txt'],
    ['attachment filename=plain.txt', 'plain.txt'],
    ['filename=plain.txt', 'plain.txt'],
    ['attachment; filename=a=b "c".txt', 'a=b "c".txt'],
    // In quotes, whatever is in them or missing behind them.
    ['attachment; filename="a; filename=b.txt"; size=3', 'a; filename=b.txt'],
    ['attachment; title="x; filename=a.txt"; filename=b.txt', 'b.txt'],
    ['attachment; filename="no end.txt', 'no end.txt'],
    ['attachment; filename="no end.txt\\', 'no end.txt'],
    // The first name that is one.
    ['attachment; filename=first.txt; filename=second.txt', 'first.txt'],
    ['attachment; filename=""; filename=second.txt', 'second.txt'],
    ['attachment; xfilename=x.txt; name=y.txt; filename=z.txt', 'z.txt'],
    // `filename*` in other character sets, in quotes, and what cannot be read.
    ["attachment; filename*=iso-8859-1'de'Stra%DFe.txt", 'Straße.txt'],
    ["attachment; filename*=Shift_JIS''%93%FA%96%7B.txt", '日本.txt'],
    ['attachment; filename*="UTF-8\'\'%C3%9Cbung.txt"; size=3', 'Übung.txt'],
    ["attachment; filename*=UTF-8''a b.txt", 'a b.txt'],
    ["attachment; filename=plain.txt; filename*=UTF-8''%DC.txt", 'plain.txt'],
    ["attachment; filename=plain.txt; filename*=klingon''%DC.txt", 'plain.txt'],
    ['attachment; filename=plain.txt; filename*=other.txt', 'plain.txt'],
    ["attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", 'passwd'],
    // As mail writes names.
    ['attachment; filename="=?UTF-8?B?w5xidW5n?= =?utf-8?q?_=C3=9F.txt?="', 'Übung ß.txt'],
    ['attachment; filename= =?iso-8859-1?Q?Stra=DFe=2Etxt?= ; size=3', 'Straße.txt'],
    ['attachment; filename="=?utf-8?b?w5w=?=\t=?utf-8?b?bm4udHh0?="', 'Ünn.txt'],
    ['attachment; filename="=?utf-8?q?=2E=2E=2Fpasswd?="', 'passwd'],
    ['attachment; filename="=?utf-8?q?=FF.txt?="', '=?utf-8?q?=FF.txt?='],
    ['attachment; filename="=?what?.txt"', '=?what?.txt'],
  ])('is read from the header %s', (disposition, name) => {
    expect(named('', { 'content-disposition': disposition })).toBe(name);
  });

  it.each<[disposition: string, charset: BufferEncoding]>([
    ['attachment; filename="Übung.pdf"', 'utf8'],
    ['attachment; filename=Übung.pdf', 'utf8'],
    ['attachment; filename="Übung.pdf"', 'latin1'],
    ["attachment; filename*=UTF-8''Übung.pdf", 'utf8'],
  ])('is read from the bytes of %s in %s', (disposition, charset) => {
    // Node.js makes a character of each byte.
    const received = Buffer.from(disposition, charset).toString('latin1');
    expect(named('', { 'content-disposition': received })).toBe('Übung.pdf');
  });

  it.each(['../../evil.sh', '..\\..\\evil.sh', '/etc/evil.sh', 'evil\u0000.sh'])('is never a path: %p', (name) => {
    expect(named(name)).toBe('evil.sh');
  });

  it.each([
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\u2066b\u2069\u200e\u061c.txt', 'ab.txt'],
    [' a\u202e .txt ', 'a .txt'],
    ['a\u2028\u2029b\u0007\udc00c\ud800.txt', 'abc.txt'],
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
  ['text/csv;charset=utf-8', 'text/csv'],
  [' Image/PNG ', 'image/png'],
  ['', undefined],
  [undefined, undefined],
])('the type of a file is read from the header %p', (header, type) => {
  expect(mimeType({ 'content-type': header })).toBe(type);
});
