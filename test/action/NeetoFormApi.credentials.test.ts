import type { ICredentialDataDecryptedObject, INodeType } from 'n8n-workflow';

import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import type { FaultEffect } from '../../emulator/index.ts';
import { deepText, runNode, testCredential } from '../support/engine';
import { placeholderType } from '../support/engine/workflow';
import { addForms, anyText, KEY, useForbiddenHost, useHarness } from '../support/harness';

const harness = useHarness();
const forbiddenHost = useForbiddenHost();

const listForms = { resource: 'form', operation: 'getAll' };

describe('the credential test', () => {
  const tested = async (change: ICredentialDataDecryptedObject = {}) =>
    await testCredential({ ...harness.credentials, ...change });

  it('accepts a key of the workspace, with spaces around it, after one small request', async () => {
    await expect(tested({ apiKey: ` ${KEY}\n` })).resolves.toEqual({ status: 'OK', message: 'Connection successful!' });
    const query = { page: '1', page_size: '1' };
    expect(harness.emulator.requests).toMatchObject([
      { method: 'GET', path: '/api/external/v2/forms', query, headers: { 'x-api-key': KEY } },
    ]);
  });

  const CHECK_ADDRESS = /^(?!.*API key).*'Subdomain'.*acme for https:\/\/acme\.neetoform\.com.*'Base URL'/;
  // n8n compares answers with fixed values, so its test cannot quote them; the node can.
  const SEE_WORDS = /^(?!No ).*(?:answered|refused).*Run NeetoForm > Form > Get Many.*words/;
  it.each<[what: string, effect: FaultEffect, message: RegExp]>([
    ['a wrong key', { status: 401, body: { error: 'No' } }, /^(?!.*Subdomain).*refused the API key.*another workspace/],
    ['a 404 page', { status: 404, body: '<!DOCTYPE html><title>404</title>' }, CHECK_ADDRESS],
    ['a web page', { status: 200, body: '<!DOCTYPE html><title>Welcome</title>' }, CHECK_ADDRESS],
    ['no list of forms', { status: 200, body: { forms: null } }, CHECK_ADDRESS],
    ['a refusal without a status', { status: 200, body: { error: 'Key expired' } }, SEE_WORDS],
    ['a bad request', { status: 400, body: { error: 'Plan expired' } }, SEE_WORDS],
    ['a request that is not accepted', { status: 422, body: { error: 'Plan expired' } }, SEE_WORDS],
    ['a moved page', { status: 308 }, CHECK_ADDRESS],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example.com/forms' } }, CHECK_ADDRESS],
    ['a role without permission', { status: 403, body: { error: 'No' } }, /key is valid.*role/],
    ['a rate limit', { status: 429, body: { error: 'Busy' } }, /limiting the rate.*minute/],
    ['a failure of the service', { status: 500 }, /could not process.*500.*later/],
    ['maintenance', { status: 503, body: { error: 'Busy' } }, /could not process.*503.*later/],
    ['a reset', { reset: true }, /./],
    ['a response that is cut off', { truncate: true }, /./],
  ])('reports %s, and never repeats the key', async (_what, effect, message) => {
    harness.emulator.fail({ when: { times: Infinity }, with: effect });
    const result = await tested();
    expect(result).toEqual({ status: 'Error', message: anyText(message) });
    expect(deepText(result)).not.toContain(KEY);
  });

  it.each([
    [{ baseUrl: '', subdomain: 'acme@evil.com' }, /'Subdomain' is not a NeetoForm workspace/],
    [{ apiKey: ' \n' }, /'API Key' is empty/],
    [{ baseUrl: 'http://staging.example.com' }, /'Base URL' would send the API key unencrypted/],
  ])('refuses %j before a request, and says what to enter', async (change, words) => {
    const { status, message } = await tested(change);
    expect([status, message]).toEqual(['Error', anyText(words)]);
    expect(harness.requests()).toEqual([]);
  });

  it.each([
    ['ENOTFOUND', 'https://no-such-host.invalid', ['subdomain', 'baseUrl']],
    ['ECONNREFUSED', 'http://127.0.0.1:1', ['baseUrl']],
  ])('of which n8n shows no more than %s is explained by the fields to check', async (code, baseUrl, names) => {
    await expect(tested({ baseUrl })).resolves.toEqual({ status: 'Error', message: code });
    const explained = new NeetoFormApi().properties.filter(({ description }) => description?.includes(code));
    expect(explained.map(({ name }) => name)).toEqual(names);
  });
});

it("n8n's own fields for allowed hosts are hidden, because the key goes to its workspace only", () => {
  expect(new NeetoFormApi().hideDomainRestrictionFields).toBe(true);
});

describe('the node with a credential', () => {
  it('whose subdomain is wrong sends nothing and names the field, in a list too', async () => {
    const credentials = { ...harness.credentials, baseUrl: '', subdomain: 'acme@evil.com' };
    const message = anyText(/^The credential's 'Subdomain' is not/);
    const error = await harness.refused(listForms, { credentials });
    expect(error).toMatchObject({ message, description: anyText(/Nothing was sent/) });
    await expect(harness.list('searchForms', { credentials })).rejects.toMatchObject({ message });
  });

  it.each([`${KEY}\nX-Other: y`, `${KEY}é`])(
    'whose key contains control characters sends no other header, and does not show the key: %j',
    async (apiKey) => {
      const error = await harness.fail(listForms, { credentials: { ...harness.credentials, apiKey } });
      expect(error).toMatchObject({ httpCode: '401' });
      expect(harness.emulator.requests).toHaveLength(1);
      expect(harness.emulator.requests[0]?.headers).not.toHaveProperty('x-other');
    },
  );
});

describe("another node with this credential, such as n8n's HTTP Request", () => {
  /** Requests any address, with the newer helper or the one that HTTP Request uses. @returns the response as text */
  async function ask(helper: (typeof helpers)[number], address: string): Promise<unknown> {
    const node: INodeType = {
      ...placeholderType({ credentials: [{ name: 'neetoFormApi', required: true }] }),
      async execute() {
        // HTTP Request uses a helper that is deprecated for other nodes.
        const send: unknown = Reflect.get(this.helpers, helper);
        if (typeof send !== 'function') throw new Error(`There is no ${helper}`);
        const redirects = { followRedirect: true, followAllRedirects: true };
        const options = { url: address, uri: address, json: true, ...redirects };
        const answer: unknown = await Reflect.apply(send, this, ['neetoFormApi', options]);
        return [[{ json: { answer: deepText(answer) } }]];
      },
    };
    const [item] = await runNode(node, { parameters: {}, credentials: harness.credentials });
    return item?.json.answer;
  }

  const helpers = ['httpRequestWithAuthentication', 'requestWithAuthentication'] as const;

  describe.each(helpers)('by %s', (helper) => {
    const path = '/api/external/v2/forms';

    it('gets a response from the workspace, and an error that says why nothing is sent to another host', async () => {
      addForms(harness.emulator, 1);
      expect(await ask(helper, harness.emulator.url + path)).toContain('Form 1');
      const outcome = ask(helper, forbiddenHost() + path);
      await expect(outcome).rejects.toThrow('The API key was not sent');
      await expect(outcome.catch(deepText)).resolves.not.toContain(KEY);
    });

    it('does not follow a redirect to another host', async () => {
      for (const status of [301, 307]) {
        harness.emulator.fail({ with: { status, headers: { location: forbiddenHost() + path } } });
        await ask(helper, harness.emulator.url + path).catch(() => undefined);
      }
      expect(harness.emulator.requests).toHaveLength(2);
    });
  });
});
