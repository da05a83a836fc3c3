import 'reflect-metadata';

import fc from 'fast-check';
import { UserError, type IDataObject } from 'n8n-workflow';

import { apiKeyOf, WORKSPACE_URL_EXPRESSION, workspaceUrl } from '../../nodes/NeetoForm/api/workspaceUrl';
import { placeholderNode, placeholderType, workflowOf } from '../support/engine/workflow';
import { words } from '../support/words';

const node = placeholderNode();
const { expression } = workflowOf(placeholderType(), [node]);

/** The origin that the expression leads to, evaluated by n8n. */
async function expressed($credentials: IDataObject): Promise<unknown> {
  const address: unknown = await expression.withIsolate(async () =>
    expression.getSimpleParameterValue(node, WORKSPACE_URL_EXPRESSION, 'internal', { $credentials }, undefined, ''),
  );
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : address;
}

it.each([
  ...words(`
    acme acme.neetoform.com http://acme.neetoform.com https://acme.neetoform.com/any/path?x=1#y
    https://acme.neetoform.com/https://evil.com https://acme.neetoform.com/@evil.com https://acme
    HTTPS://ACME.NEETOFORM.COM/Forms`),
  '  acme \n',
])('the address of the subdomain %j is https://acme.neetoform.com, and so says the expression', async (subdomain) => {
  for (const baseUrl of ['', '   ', undefined]) {
    expect(workspaceUrl({ subdomain, baseUrl })).toBe('https://acme.neetoform.com');
    expect(await expressed({ subdomain, baseUrl })).toBe('https://acme.neetoform.com');
  }
});

it.each([
  [{ subdomain: 'a-b-2' }, 'https://a-b-2.neetoform.com'],
  [{ subdomain: 'a' }, 'https://a.neetoform.com'],
  [{ subdomain: '42' }, 'https://42.neetoform.com'],
  [{ subdomain: 'a'.repeat(63) }, `https://${'a'.repeat(63)}.neetoform.com`],
  [{ subdomain: 'acme', baseUrl: 'https://staging.example.com' }, 'https://staging.example.com'],
  [{ subdomain: '', baseUrl: 'https://staging.example.com/' }, 'https://staging.example.com'],
  [{ baseUrl: ' https://staging.example.com:8443 ' }, 'https://staging.example.com:8443'],
  [{ baseUrl: 'https://staging.example.com:443' }, 'https://staging.example.com'],
  [{ baseUrl: 'http://127.0.0.1:4010' }, 'http://127.0.0.1:4010'],
  [{ baseUrl: 'http://127.8.9.1:4010/' }, 'http://127.8.9.1:4010'],
  [{ baseUrl: 'http://127.255.10.200' }, 'http://127.255.10.200'],
  [{ baseUrl: 'http://localhost' }, 'http://localhost'],
  [{ baseUrl: 'http://[::1]:4010' }, 'http://[::1]:4010'],
])('the address of %j is %s, and so says the expression', async (address, url) => {
  expect(workspaceUrl(address)).toBe(url);
  expect(await expressed(address)).toBe(url);
});

it.each([
  ...words(String.raw`
    evil.com/ a.b acme.neetoform.com.evil.com acme@evil.com acme# acme/ acme\ acme.neetoform.com:443
    acme.neetoform.com?x acme.neetoform.com\@evil.com user:pass@acme.neetoform.com
    https://evil.com/https://acme.neetoform.com ftp://acme.neetoform.com //acme.neetoform.com https:acme
    x.acme.neetoform.com acme.neetoformxcom acmeneetoform.com acme. acme%2eevil.com -acme acme- acme_1 =acme
    аcme ａcme acme。neetoform。com ſacme acmé`),
  ...['a b', 'acme\nevil.com', '{{ 1 }}', 'a'.repeat(64), 'acme\u200b', '\u212aacme'],
])('the address is none for the subdomain %j', (subdomain) => {
  expect(() => workspaceUrl({ subdomain })).toThrow(UserError);
  expect(() => workspaceUrl({ subdomain })).toThrow(
    `The credential's 'Subdomain' is not a NeetoForm workspace: ${JSON.stringify(subdomain.trim())}. Enter only the first part`,
  );
});

it.each([undefined, '  ', 7])('the address is none without a subdomain: %j', (subdomain) => {
  expect(() => workspaceUrl({ subdomain })).toThrow(/^The credential's 'Subdomain' is empty/);
});

it.each(
  words(String.raw`
    staging.example.com http://staging.example.com http://127.0.0.1.evil.com http://localhost.evil.com http://evil-localhost
    http://127.0.0.1@evil.com https://user@staging.example.com https://user:pass@staging.example.com
    https://@staging.example.com https://staging.example.com/api https://staging.example.com?x=1
    https://staging.example.com? https://staging.example.com#x https://staging.example.com#
    https://staging.example.com\ https:\\evil.com ftp://127.0.0.1 file:///etc/passwd javascript:alert(1) //evil.com
    127.0.0.1:4010 http://0.0.0.0 http://10.0.0.1 http://[::2] https:// acme =x`),
)('the address is none for the base URL %j', (baseUrl) => {
  expect(() => workspaceUrl({ subdomain: 'acme', baseUrl })).toThrow(UserError);
  expect(() => workspaceUrl({ subdomain: 'acme', baseUrl })).toThrow(
    /^The credential's 'Base URL' (?:is not an address of a server|would send the API key unencrypted): /,
  );
});

it('the message about an endless address does not repeat it', () => {
  expect(() => workspaceUrl({ subdomain: 'x!'.repeat(5000) })).toThrow(/^.{1,400}$/);
  expect(() => workspaceUrl({ subdomain: '!'.repeat(101) })).toThrow(`"${'!'.repeat(100)}…"`);
  expect(() => workspaceUrl({ subdomain: '!'.repeat(100) })).toThrow(`"${'!'.repeat(100)}"`);
});

it('the address is below neetoform.com, or refused, for any subdomain', () => {
  const pieces = words(String.raw`acme https:// http:// . .neetoform.com / @ # ? : \ evil.com %2e - ａ 。`);
  const anything = fc.array(fc.oneof(fc.constantFrom(...pieces, ' ', '\n'), fc.string()), { maxLength: 6 });
  fc.assert(
    fc.property(anything, (parts) => {
      try {
        expect(workspaceUrl({ subdomain: parts.join('') })).toMatch(/^https:\/\/[a-z0-9-]+\.neetoform\.com$/);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['\ta\tb ', 'a\tb'],
  ['a b~é\u0080', 'a b~é\u0080'],
  ['a\u0000\n\u007fb\u0100\u200b', 'ab'],
])('the API key %j is known as it is sent: %j', (apiKey, sent) => {
  expect(apiKeyOf({ apiKey })).toBe(sent);
});
