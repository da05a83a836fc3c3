import 'reflect-metadata';

import fc from 'fast-check';
import { UserError, Workflow } from 'n8n-workflow';
import type { INode, INodeType } from 'n8n-workflow';

import { WORKSPACE_URL_EXPRESSION, workspaceUrl, type WorkspaceAddress } from '../../nodes/NeetoForm/api/workspaceUrl';
import { onlyType } from '../support/engine/nodeTypes';

const nodeType: INodeType = {
  description: {
    displayName: 'Any',
    name: 'any',
    group: [],
    version: 1,
    description: '',
    defaults: {},
    inputs: [],
    outputs: [],
    properties: [],
  },
};
const node: INode = { id: '1', name: 'Any', type: 'any', typeVersion: 1, position: [0, 0], parameters: {} };
const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes: onlyType(nodeType) });

/** What n8n makes of the expression. */
async function expressed(credentials: WorkspaceAddress): Promise<unknown> {
  return await workflow.expression.withIsolate(async () =>
    workflow.expression.getSimpleParameterValue(
      node,
      WORKSPACE_URL_EXPRESSION,
      'internal',
      { $credentials: credentials },
      undefined,
      '',
    ),
  );
}

const originOf = (address: unknown) =>
  typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : address;

const accepted: Array<[address: WorkspaceAddress, url: string]> = [
  [{ subdomain: 'acme' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'acme.neetoform.com' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'https://acme.neetoform.com' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'https://acme.neetoform.com/' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'https://acme.neetoform.com/any/path?x=1#y' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'http://acme.neetoform.com' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'acme.neetoform.com/forms/1' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'https://acme.neetoform.com/https://evil.com' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'https://acme.neetoform.com/@evil.com' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'https://acme' }, 'https://acme.neetoform.com'],
  [{ subdomain: '  acme \n' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'ACME' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'Acme.NeetoForm.com' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'HTTPS://ACME.NEETOFORM.COM/Forms' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'a-b-2' }, 'https://a-b-2.neetoform.com'],
  [{ subdomain: '2' }, 'https://2.neetoform.com'],
  [{ subdomain: 'acme', baseUrl: '' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'acme', baseUrl: '   ' }, 'https://acme.neetoform.com'],
  [{ subdomain: 'acme', baseUrl: undefined }, 'https://acme.neetoform.com'],
  [{ subdomain: 'acme', baseUrl: 'https://staging.example.com' }, 'https://staging.example.com'],
  [{ subdomain: '', baseUrl: 'https://staging.example.com/' }, 'https://staging.example.com'],
  [{ baseUrl: ' https://staging.example.com:8443 ' }, 'https://staging.example.com:8443'],
  [{ baseUrl: 'https://staging.example.com:443' }, 'https://staging.example.com'],
  [{ baseUrl: 'HTTPS://Staging.Example.com' }, 'https://staging.example.com'],
  [{ baseUrl: 'http://127.0.0.1:4010' }, 'http://127.0.0.1:4010'],
  [{ baseUrl: 'http://127.8.9.1:4010/' }, 'http://127.8.9.1:4010'],
  [{ baseUrl: 'http://localhost' }, 'http://localhost'],
  [{ baseUrl: 'http://localhost:4010' }, 'http://localhost:4010'],
  [{ baseUrl: 'http://[::1]:4010' }, 'http://[::1]:4010'],
];

const refusedSubdomains = [
  'evil.com/',
  'evil.com',
  'a.b',
  'acme.neetoform.com.evil.com',
  'acme@evil.com',
  'acme#',
  'acme?',
  'acme/',
  'acme\\',
  'acme:443',
  'acme.neetoform.com:443',
  'acme.neetoform.com?x',
  'acme.neetoform.com#x',
  'acme.neetoform.com\\@evil.com',
  'user:pass@acme.neetoform.com',
  'https://acme.neetoform.com@evil.com',
  'https://evil.com/acme.neetoform.com',
  'https://evil.com/https://acme.neetoform.com',
  'https://evil.com?acme.neetoform.com',
  'ftp://acme.neetoform.com',
  '//acme.neetoform.com',
  'https:acme',
  'https:///acme',
  'javascript:acme',
  'x.acme.neetoform.com',
  'acme.neetoform.org',
  'acme.neetoformxcom',
  'acmeneetoform.com',
  'acme.',
  'a b',
  'ac me.neetoform.com',
  'acme\nevil.com',
  'acme\tx',
  'acme%2eevil.com',
  'acme%00',
  '-acme',
  'acme-',
  'acme_1',
  '{{ 1 }}',
  '=acme',
  '*',
  '.',
  '..',
  '/',
  'a'.repeat(64),
  'аcme',
  'acmе.neetoform.com',
  'ａcme',
  'acme。neetoform。com',
  'acme．neetoform．com',
  'acme\u200b',
  '\u212aacme',
  'ſacme',
  'acmé',
  'xn--\u00e9',
  'acme／evil.com',
  'acme\u202eevil',
];

const refusedBaseUrls = [
  'staging.example.com',
  'http://staging.example.com',
  'http://127.0.0.1.evil.com',
  'http://localhost.evil.com',
  'http://127.0.0.1@evil.com',
  'https://user@staging.example.com',
  'https://user:pass@staging.example.com',
  'https://@staging.example.com',
  'https://staging.example.com/api',
  'https://staging.example.com?x=1',
  'https://staging.example.com?',
  'https://staging.example.com#x',
  'https://staging.example.com#',
  'https://staging.example.com\\',
  'https:\\\\evil.com',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '//evil.com',
  '127.0.0.1:4010',
  'http://0.0.0.0',
  'http://10.0.0.1',
  'http://[::2]',
  'https://',
  'acme',
  '=x',
];

describe("the workspace's address", () => {
  it.each(accepted)('of %j is %s, and so says the expression', async (address, url) => {
    expect(workspaceUrl(address)).toBe(url);
    expect(originOf(await expressed(address))).toBe(url);
  });

  it.each(refusedSubdomains)('is none for the subdomain %j', (subdomain) => {
    expect(() => workspaceUrl({ subdomain })).toThrow(UserError);
    expect(() => workspaceUrl({ subdomain })).toThrow(
      /^The credential's 'Subdomain' is not a NeetoForm workspace: .*Enter only the first part/,
    );
  });

  it.each([undefined, null, '', '  ', 7, {}])('is none without a subdomain: %j', (subdomain) => {
    expect(() => workspaceUrl({ subdomain })).toThrow(/^The credential's 'Subdomain' is empty/);
  });

  it.each(refusedBaseUrls)('is none for the base URL %j', (baseUrl) => {
    expect(() => workspaceUrl({ subdomain: 'acme', baseUrl })).toThrow(UserError);
    expect(() => workspaceUrl({ subdomain: 'acme', baseUrl })).toThrow(
      /^The credential's 'Base URL' (?:is not an address of a server|would send the API key unencrypted): /,
    );
  });

  it('does not repeat an endless one in the message', () => {
    expect(() => workspaceUrl({ subdomain: 'x!'.repeat(5000) })).toThrow(/^.{1,400}$/);
  });

  it('is below neetoform.com or none, whatever the subdomain', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          'acme',
          'https://',
          'http://',
          '.',
          '.neetoform.com',
          '/',
          '@',
          '#',
          '?',
          ':',
          '\\',
          'evil.com',
          ' ',
          '\n',
          '%2e',
          '-',
          'ａ',
          '。',
        ),
        fc.string(),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        try {
          expect(workspaceUrl({ subdomain: parts.join('') })).toMatch(/^https:\/\/[a-z0-9-]+\.neetoform\.com$/);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('is what the expression says, whenever there is one', async () => {
    const address = fc.record({
      subdomain: fc
        .tuple(
          fc.constantFrom('', 'http://', 'https://', 'HTTPS://', ' '),
          fc.stringMatching(/^[a-zA-Z0-9-]{1,12}$/),
          fc.constantFrom('', '.neetoform.com', '.NEETOFORM.com/', '.neetoform.com/a.b/c?d=e.f', ' '),
        )
        .map((parts) => parts.join('')),
      baseUrl: fc.constantFrom('', ' ', undefined, 'https://staging.example.com', 'http://localhost:4010/'),
    });
    await fc.assert(
      fc.asyncProperty(address, async (credentials) => {
        let url: string;
        try {
          url = workspaceUrl(credentials);
        } catch {
          return;
        }
        expect(originOf(await expressed(credentials))).toBe(url);
      }),
      { numRuns: 300 },
    );
  });
});
