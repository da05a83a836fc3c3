import { isIP } from 'node:net';
import fc from 'fast-check';

import { validateFileAddress } from '../../nodes/NeetoForm/downloads/fileAddress';

const WORKSPACE = 'https://acme.neetoform.com';
const AT_HOME = 'http://127.0.0.1:4010';

it.each([
  'https://app.neetoform.com/rails/active_storage/blobs/redirect/abc/cv.pdf',
  'https://bucket.s3.eu-central-1.amazonaws.com/key?X-Amz-Signature=abc#x',
  'https://files.example.com:443/a',
  'HTTPS://FILES.EXAMPLE.COM/a',
  'https://files.example.com./a',
  'https://xn--bcher-kva.example.com/ä b',
  'https://bücher.example.com/',
  'https://local.example.com/',
  'https://localhost.example.com/',
  'https://internal.io/',
  'https://10.0.0.1.example.com/',
])('%s is opened', (address) => {
  expect(validateFileAddress(address, WORKSPACE)).toBeUndefined();
  expect(validateFileAddress(address, AT_HOME)).toBeUndefined();
});

it.each([
  ['', 'is not a web address'],
  ['cv.pdf', 'is not a web address'],
  ['/files/1', 'is not a web address'],
  ['//files.example.com/', 'is not a web address'],
  ['https://', 'is not a web address'],
  ['https://a b/', 'is not a web address'],
  ['https://1.2.3.4.5/', 'is not a web address'],
  ['https://.!', 'is not a web address'],
  ['https://a..example.com/', 'is not a web address'],
  ['http://files.example.com/', 'is not https'],
  ['ftp://files.example.com/', 'is not https'],
  ['file:///etc/passwd', 'is not https'],
  ['data:text/plain,abc', 'is not https'],
  ['javascript:alert(1)', 'is not https'],
  ['gopher://files.example.com/', 'is not https'],
  ['blob:https://files.example.com/1', 'is not https'],
  ['https://user@files.example.com/', 'holds a user name or password'],
  ['https://:secret@files.example.com/', 'holds a user name or password'],
  ['https://files.example.com@10.0.0.1/', 'holds a user name or password'],
  ['http://a:b@127.0.0.1/', 'holds a user name or password'],
  ['https://files.example.com:8443/', 'has a port of its own'],
  ['https://files.example.com:80/', 'has a port of its own'],
  ['https://printer/', 'leads into a private network'],
  ['https://localhost./', 'leads into a private network'],
  ['https://metadata.google.internal/', 'leads into a private network'],
  ['https://router.home.arpa/', 'leads into a private network'],
  ['https://nas.local/', 'leads into a private network'],
  ['https://app.LOCALHOST/', 'leads into a private network'],
  ['https://8.8.8.8/', 'is that of a computer, without a name'],
  ['https://169.254.169.254/latest/meta-data', 'is that of a computer, without a name'],
])('%p is not opened: its address %s', (address, fault) => {
  expect(validateFileAddress(address, WORKSPACE)).toBe(fault);
  expect(validateFileAddress(address, AT_HOME)).toBe(fault);
});

describe('this computer itself', () => {
  const home = [
    'http://127.0.0.1:4010/a',
    'http://127.0.0.1/a',
    'https://localhost:4011/a',
    'http://[::1]:80/a',
    'http://127.9.9.9/',
    'http://2130706433/',
  ];

  it.each(home)('is opened at %s when the workspace is on it too', (address) => {
    for (const workspace of [AT_HOME, 'https://localhost', 'http://[::1]:4010'])
      expect(validateFileAddress(address, workspace)).toBeUndefined();
  });

  it.each(home)('is not opened at %s for any other workspace', (address) => {
    for (const workspace of [WORKSPACE, 'https://10.0.0.1', 'https://staging.example.com:8443', '', 'nothing'])
      expect(validateFileAddress(address, workspace)).toBeDefined();
  });

  it.each([
    'ftp://127.0.0.1/',
    'file://localhost/etc/passwd',
    'http://10.0.0.1/',
    'http://[::2]/',
    'http://0.0.0.0/',
    'http://localhost.example.com/',
    'http://128.0.0.1/',
  ])('is not what %s names', (address) => {
    expect(validateFileAddress(address, AT_HOME)).toBeDefined();
  });
});

const number = (value: number) => fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`);
const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
/** Every way in which URLs let an IPv4 address be written. */
const ipv4 = octets.chain(([a, b, c, d]) =>
  fc
    .oneof(
      fc.tuple(number(a), number(b), number(c), number(d)),
      fc.tuple(number(a), number(b), number(c * 256 + d)),
      fc.tuple(number(a), number((b * 256 + c) * 256 + d)),
      fc.tuple(number(((a * 256 + b) * 256 + c) * 256 + d)),
    )
    .map((parts) => parts.join('.')),
);
const label = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,8}[a-z0-9])?$/);
const names = fc.array(label, { maxLength: 3 });
const inside = fc
  .tuple(
    names,
    fc.constantFrom(
      'localhost',
      'local',
      'internal',
      'lan',
      'home',
      'corp',
      'private',
      'intranet',
      'localdomain',
      'home.arpa',
      '1.0.0.127.in-addr.arpa',
      'test',
      'onion',
    ),
  )
  .map(([before, last]) => [...before, last].join('.'));
const privateHost = fc.oneof(
  ipv4,
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom('[::ffff:127.0.0.1]', '[::]', '[fe80::1]', '[fd00::1]'),
  inside,
  label,
);

/** Other ways to write the same host. */
const spelling: fc.Arbitrary<(host: string) => string> = fc.constantFrom<(host: string) => string>(
  (host) => host,
  (host) => host.toUpperCase(),
  (host) => (host.startsWith('[') ? host : `${host}.`),
  // What Unicode takes for the same letters, digits and dots.
  (host) =>
    host
      .replace(/[a-z0-9]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
      .replaceAll('.', '。'),
  (host) =>
    host.startsWith('[') ? host : host.replace(/./g, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)}`),
);
const rest = fc.constantFrom(
  '',
  '/',
  '/a.pdf',
  ':443/x',
  ':8080/x',
  '?q=1',
  '#files.example.com',
  '/@files.example.com',
  '\\@files.example.com/',
);

describe('whatever an address looks like', () => {
  it('a host inside a network is never opened', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('https://', 'http://', 'HTTPS:\\\\', 'https:'),
        privateHost,
        spelling,
        rest,
        (scheme, host, spell, path) => {
          expect(validateFileAddress(scheme + spell(host) + path, WORKSPACE)).toBeDefined();
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('what is opened is https on its own port, at a name of the internet', () => {
    const authoritySettings = { withPort: true, withUserInfo: true, withIPv4: true, withIPv6: true };
    const anything = fc.oneof(
      fc.webUrl({ validSchemes: ['https'], withFragments: true, withQueryParameters: true }),
      fc.webUrl({ authoritySettings }),
      fc.string().map((text) => `https://${text}`),
      fc.string(),
    );
    let opened = 0;
    fc.assert(
      fc.property(anything, (address) => {
        if (validateFileAddress(address, WORKSPACE) !== undefined) return;
        opened++;
        const { protocol, hostname, port, username, password } = new URL(address);
        expect([protocol, port, username, password, isIP(hostname)]).toEqual(['https:', '', '', '', 0]);
        expect(hostname).toMatch(/[^.]\.[a-z][a-z0-9-]*\.?$/);
      }),
      { numRuns: 5_000 },
    );
    expect(opened).toBeGreaterThan(100);
  });
});
