import { isIP } from 'node:net';
import fc from 'fast-check';

import { validateFileAddress } from '../../nodes/NeetoForm/downloads/fileAddress';
import { words } from '../support/words';
import { parseHost } from '../../nodes/NeetoForm/parameters/downloadSettings';

const WORKSPACE = 'https://acme.neetoform.com';
const AT_HOME = 'http://127.0.0.1:4010';

const allowed = (list: string): string[] =>
  list.split(',').flatMap((entry) => (entry === '' ? [] : [parseHost(entry.trim()) ?? 'not a host']));

const check =
  (source: 'answer' | 'redirect') =>
  (address: string, list = '', workspace = WORKSPACE) =>
    validateFileAddress(address, source, { workspace, allowedHosts: allowed(list) });

/** What is wrong with the first address of a file, and with one that a server redirects to. */
const [first, redirect] = [check('answer'), check('redirect')];

const notAllowed = (host: string) => `${host} is not in 'Allowed File Hosts'. Add it there if you trust it`;

describe('the first address of a file', () => {
  it.each(
    words(`
      https://app.neetoform.com/rails/cv.pdf https://other.neetoform.com/a HTTPS://APP.NEETOFORM.COM./a
      https://app.neetoform.com:443/a`),
  )('may be on the service: %s', (address) => {
    expect(first(address)).toBeUndefined();
  });

  it.each(
    words(`
      https://files.example.com https://bucket.s3.amazonaws.com https://app.neetoform.com.evil.com http://10.0.0.1
      https://evilneetoform.com https://app.neetoform.com:8443 http://127.0.0.1:4010`),
  )('may not be chosen by a respondent: %s', (origin) => {
    expect(first(`${origin}/a`)).toBe(notAllowed(new URL(origin).host));
  });

  it.each([
    ...words('cv.pdf /files/1 //app.neetoform.com/ https:// data:text/plain,abc javascript:alert(1) file:///etc/passwd')
      .concat('')
      .map((address): [string, string] => [address, 'its address is not a web address']),
    ['http://app.neetoform.com/', 'its address is not https (app.neetoform.com)'],
    ['https://:secret@app.neetoform.com/', 'its address contains a user name or password (app.neetoform.com)'],
    ['https://app.neetoform.com@10.0.0.1/', 'its address contains a user name or password (10.0.0.1)'],
  ])('is not requested: %s', (address, problem) => {
    expect(first(address)).toBe(problem);
    expect(first(address, '*.example.com, 10.0.0.2')).toBe(problem);
  });

  it("may be on the Base URL's host and port, and on no other port of it", () => {
    for (const workspace of ['https://staging.example.com:8443', AT_HOME, 'https://staging.example.com']) {
      expect(first(`${workspace}/a`, '', workspace)).toBeUndefined();
      const { hostname, protocol } = new URL(workspace);
      expect(first(`${protocol}//${hostname}:1/a`, '', workspace)).toBe(notAllowed(`${hostname}:1`));
    }
  });

  it.each<[address: string, list: string, isAllowed: boolean]>([
    ['https://files.example.com./a', ' FILES.example.com. ', true],
    ['https://files.example.com/a', 'a.example.com, https://files.example.com/', true],
    ['https://files.example.com/a', 'HTTPS://Files.Example.com/', true],
    ['https://a.b.example.com/a', '*.example.com', true],
    ['https://files.example.com../a', 'http://files.example.com', true],
    ['https://files.example.com:8443/a', 'files.example.com:8443', true],
    ['https://xn--bcher-kva.example.com/ä b', 'bücher.example.com', true],
    ['https://10.0.0.5/a', '10.0.0.5', true],
    ['http://127.0.0.1:9000/a', '127.0.0.1:9000', true],
    ['https://example.com/a', '*.example.com', false],
    ['https://a.files.example.com/a', 'files.example.com', false],
    ['https://files.example.com:8443/a', 'files.example.com', false],
    ['https://files.example.com/a', 'files.example.com:8443', false],
  ])('may be %s when the user allows %s: %p', (address, list, isAllowed) => {
    expect(first(address, list)).toBe(isAllowed ? undefined : notAllowed(new URL(address).host));
  });
});

it.each([
  ...words('* *. **.example.com a*.example.com https://example.com/path user@example.com a?b a#b a\\b'),
  'a b%',
])('the list of allowed hosts has no entry like %s', (entry) => {
  expect(parseHost(entry)).toBeUndefined();
});

describe('an address that a server redirects to', () => {
  it.each(
    words(`
      https://bucket.s3.amazonaws.com/key?X-Amz-Signature=abc#x https://a.b.s3.eu-central-1.amazonaws.com:443/a
      https://BUCKET.s3.amazonaws.com./a https://other.neetoform.com/a https://files.example.com/a`),
  )('may be on the service, its object store or an allowed host: %s', (address) => {
    expect(redirect(address, 'files.example.com')).toBeUndefined();
  });

  it.each(
    words(`
      https://files.example.com https://10.0.0.1 https://[fd00::1] http://127.0.0.1:4011 https://s3.amazonaws.com
      https://evils3.amazonaws.com https://bucket.s3.a.b.amazonaws.com https://bucket.s3.amazonaws.com.evil.com
      https://bucket.ec2.amazonaws.com https://bucket.s3.amazonaws.com:8443`),
  )('is named with what to do when it is anywhere else: %s', (origin) => {
    const { host } = new URL(origin);
    const problem = `its server redirects to ${host}, which is not in 'Allowed File Hosts'. Add it there if you trust it`;
    expect(redirect(`${origin}/a`)).toBe(problem);
  });

  it.each(
    words('http://127.0.0.1:4011/a http://127.0.0.1/a https://localhost:4011/a http://[::1]:80/a http://127.9.9.9/'),
  )('may be on this computer when the workspace is on it too, and not otherwise: %s', (address) => {
    for (const workspace of [AT_HOME, 'https://localhost', 'http://[::1]:4010']) {
      expect(redirect(address, '', workspace)).toBeUndefined();
      expect(first(address, '', workspace)).toBeDefined();
    }
    for (const workspace of [WORKSPACE, 'https://10.0.0.1', 'https://staging.example.com:8443', '', 'nothing'])
      expect(redirect(address, '', workspace)).toBeDefined();
  });

  it.each(words('ftp://127.0.0.1/ xhttp://127.0.0.1/ file://localhost/etc/passwd http://10.0.0.1/ http://0.0.0.0/'))(
    'is not on this computer: %s',
    (address) => {
      expect(redirect(address, '', AT_HOME)).toBeDefined();
    },
  );
});

it('an address is not longer than 8,000 characters', () => {
  const address = `https://app.neetoform.com/${'a'.repeat(7_974)}`;
  expect(first(address)).toBeUndefined();
  for (const check of [first, redirect])
    expect(check(`${address}a`)).toBe('its address is longer than 8000 characters');
});

const pieces = words(String.raw`
  app.neetoform.com app.neetoform.com cdn.example.com cdn.example.com bucket.s3.amazonaws.com bucket.s3.amazonaws.com
  evil.com evil 127.0.0.1 0x7f.1 [::1] localhost APP . 。 @ x@ : :443 :8443 / \ # ? %2e %00`);
const anything = fc
  .tuple(
    fc.constantFrom('https://', 'https://', 'https://', 'http://', 'HTTPS:\\\\', 'https:', ''),
    fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pieces) }, fc.string()), { maxLength: 4 }),
  )
  .map(([scheme, parts]) => scheme + parts.join(''));

it('any address that is requested is https on its own port, on the service, an allowed host or, redirected, the object store', () => {
  const requested = { first: 0, redirect: 0 };
  fc.assert(
    fc.property(anything, (address) => {
      for (const hop of ['first', 'redirect'] as const) {
        const problem = hop === 'first' ? first(address, 'cdn.example.com') : redirect(address, 'cdn.example.com');
        if (problem !== undefined) continue;
        requested[hop]++;
        const { protocol, hostname, port, username, password } = new URL(address);
        expect([protocol, port, username, password, isIP(hostname)]).toEqual(['https:', '', '', '', 0]);
        const hosts = /\.neetoform\.com\.*$|^cdn\.example\.com\.*$/;
        expect(hostname).toMatch(hop === 'first' ? hosts : new RegExp(`${hosts.source}|\\.s3\\.amazonaws\\.com\\.*$`));
      }
    }),
    { numRuns: 4_000 },
  );
  expect(requested.first).toBeGreaterThan(100);
  expect(requested.redirect).toBeGreaterThan(requested.first);
});
