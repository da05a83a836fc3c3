import { NeetoFormApi } from '../../../credentials/NeetoFormApi.credentials';
import type { FaultEffect } from '../../../emulator/index.ts';
import { describeChecks } from '../versions/checks.ts';
import { credentialFor, textLike, useTestInstance } from './support/instance.ts';

const instance = useTestInstance();

describe('in a real n8n instance', () => describeChecks(instance));

describe('the credential test', () => {
  const tested = async (change: Record<string, string> = {}) => {
    const { client, credential, emulator } = instance();
    const { data, ...draft } = credentialFor(emulator);
    emulator.requests.length = 0;
    return await client.testCredential(credential, { ...draft, data: { ...data, ...change } });
  };

  it('accepts a key of the workspace, with spaces around it, after one small request', async () => {
    const { apiKey, requests } = instance().emulator;
    expect(await tested({ apiKey: ` ${apiKey}\n` })).toEqual({ status: 'OK', message: 'Connection successful!' });
    const query = { page: '1', page_size: '1' };
    expect(requests).toMatchObject([
      { method: 'GET', path: '/api/external/v2/forms', query, headers: { 'x-api-key': apiKey } },
    ]);
  });

  const CHECK_ADDRESS = /^(?!.*API key).*'Subdomain'.*acme for https:\/\/acme\.neetoform\.com.*'Base URL'/;
  // n8n compares answers with fixed values, so its test cannot quote them; the node can.
  const SEE_WORDS = /^(?!No ).*(?:answered|refused).*Run NeetoForm > Form > Get Many.*words/;
  // One of each kind of rule and response: test/pure/credentialTest.test.ts has all statuses.
  it.each<[what: string, effect: FaultEffect, message: RegExp]>([
    ['a wrong key', { status: 401, body: { error: 'No' } }, /^(?!.*Subdomain).*refused the API key.*another workspace/],
    ['a web page', { status: 200, body: '<!DOCTYPE html><title>Welcome</title>' }, CHECK_ADDRESS],
    ['no list of forms', { status: 200, body: { forms: null } }, CHECK_ADDRESS],
    ['a refusal without a status', { status: 200, body: { error: 'Key expired' } }, SEE_WORDS],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example.com/forms' } }, CHECK_ADDRESS],
    ['a role without permission', { status: 403, body: { error: 'No' } }, /key is valid.*role/],
    ['maintenance', { status: 503, body: { error: 'Busy' } }, /could not process.*503.*later/],
    ['a reset', { reset: true }, /./],
    ['a response that is cut off', { truncate: true }, /./],
  ])('reports %s, and never repeats the key', async (_what, effect, message) => {
    instance().emulator.fail({ when: { times: Infinity }, with: effect });
    const result = await tested();
    expect(result).toEqual({ status: 'Error', message: textLike(message) });
    expect(JSON.stringify(result)).not.toContain(instance().emulator.apiKey);
  });

  it.each([
    [{ baseUrl: '', subdomain: 'acme@evil.com' }, /'Subdomain' is not a NeetoForm workspace/],
    [{ apiKey: ' \n' }, /'API Key' is empty/],
    [{ baseUrl: 'http://staging.example.com' }, /'Base URL' would send the API key unencrypted/],
  ])('refuses %j before a request, and says what to enter', async (change, words) => {
    expect(await tested(change)).toEqual({ status: 'Error', message: textLike(words) });
    expect(instance().emulator.requests).toEqual([]);
  });

  it.each([
    ['ENOTFOUND', 'https://no-such-host.invalid', ['subdomain', 'baseUrl']],
    ['ECONNREFUSED', 'http://127.0.0.1:1', ['baseUrl']],
  ])('of which n8n shows no more than %s is explained by the fields to check', async (code, baseUrl, names) => {
    expect(await tested({ baseUrl })).toEqual({ status: 'Error', message: code });
    const explained = new NeetoFormApi().properties.filter(({ description }) => description?.includes(code));
    expect(explained.map(({ name }) => name)).toEqual(names);
  });
});
