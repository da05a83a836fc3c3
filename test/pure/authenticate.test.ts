import axios from 'axios';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { deepText } from '../support/engine';
import { words } from '../support/words';

const KEY = 'test-api-key-7f3a9c51';
const ACME = 'https://acme.neetoform.com';

/** The origin that n8n's HTTP client would request. */
function askedBy(url: string, baseURL: string | undefined): string {
  try {
    return new URL(axios.getUri({ url, baseURL })).origin;
  } catch {
    return 'nowhere';
  }
}

describe('authenticate', () => {
  const { authenticate } = new NeetoFormApi();

  /** The options as the credential of the workspace acme returns them. */
  async function authenticated(
    options: Partial<IHttpRequestOptions> & { uri?: string },
    credentials: ICredentialDataDecryptedObject = { subdomain: 'acme', apiKey: KEY },
  ): Promise<IHttpRequestOptions> {
    if (typeof authenticate !== 'function') throw new Error('It is a function');
    return await authenticate(credentials, { ...options } as IHttpRequestOptions);
  }

  const own = [
    { url: 'https://acme.neetoform.com/api/external/v2/forms' },
    { url: 'https://ACME.neetoform.com:443/x' },
    { uri: 'https://acme.neetoform.com/x' },
    { url: 'forms', baseURL: 'https://acme.neetoform.com/api/' },
    { url: '', baseURL: ACME },
    { url: 'https://acme.neetoform.com/x', baseURL: '' },
    { url: '/https://evil.com', baseURL: ACME },
    // Without slashes, and with the scheme of the base URL, this is a path.
    { url: 'https:evil.com', baseURL: ACME },
  ];

  it.each(own)('adds the key and the Accept header to a request to the workspace: %j', async (options) => {
    expect(await authenticated(options)).toMatchObject({
      ...options,
      headers: { 'X-Api-Key': KEY, Accept: 'application/json' },
      disableFollowRedirect: true,
      followRedirect: false,
      followAllRedirects: false,
    });
  });

  const trusting = [
    { rejectUnauthorized: false },
    { skipSslCertificateValidation: true },
    { agentOptions: { ca: 'a certificate of whoever runs the proxy' } },
    { agentOptions: { rejectUnauthorized: false } },
  ];

  it.each(trusting)('does not add the key where a proxy could pass for the service: %j', async (options) => {
    const request = { url: 'https://acme.neetoform.com/x', ...options };
    const outcome = authenticated(request);
    await expect(outcome).rejects.toThrow(/^The API key was not sent: .*'Ignore SSL Issues'.*NODE_EXTRA_CA_CERTS$/);
    await expect(outcome.catch(deepText)).resolves.not.toContain(KEY);
    // Nor where Base URL leads there.
    await expect(authenticated(request, { apiKey: KEY, baseUrl: ACME })).rejects.toThrow("'Ignore SSL Issues'");
  });

  const strict = [
    { rejectUnauthorized: true },
    { skipSslCertificateValidation: false },
    { agentOptions: {} },
    { agentOptions: { rejectUnauthorized: true, cert: 'a certificate of the client', key: 'its key' } },
  ];

  it.each(strict)('adds the key where certificates are validated: %j', async (options) => {
    const { headers } = await authenticated({ url: 'https://acme.neetoform.com/x', ...options });
    expect(headers).toMatchObject({ 'X-Api-Key': KEY });
  });

  it.each(trusting)('adds the key where a server of the user has a certificate of its own: %j', async (options) => {
    const baseUrl = 'https://my-neetoform.com';
    const { headers } = await authenticated({ url: baseUrl, ...options }, { apiKey: KEY, baseUrl });
    expect(headers).toMatchObject({ 'X-Api-Key': KEY });
  });

  it.each(['', ' ', '\u200b'])('refuses a request without a key: %j', async (apiKey) => {
    const outcome = authenticated({ url: ACME }, { subdomain: 'acme', apiKey });
    await expect(outcome).rejects.toThrow("The credential's 'API Key' is empty");
  });

  it('keeps other headers', async () => {
    const given = { Accept: 'text/csv', 'X-Other': '1', 'X-Api-Key': 'another' };
    const { headers } = await authenticated({ url: 'https://acme.neetoform.com/x', headers: given });
    expect(headers).toEqual({ Accept: 'text/csv', 'X-Other': '1', 'X-Api-Key': KEY });
  });

  const below = (baseURL: string) => (url: string) => ({ url, baseURL });
  const elsewhere = [
    ...words(String.raw`
      https://evil.com/acme.neetoform.com https://other.neetoform.com/x http://acme.neetoform.com/x
      https://acme.neetoform.com:8443/x data:text/plain,x https:// /x`).map((url) => ({ url })),
    ...['//evil.com/x', '\\\\evil.com/x', ' https://evil.com/', 'https://evil.com/', 'http:evil.com'].map(below(ACME)),
    ...['/x', ''].map(below('https://evil.com')),
    { uri: 'https://evil.com/' },
    { url: 'https://acme.neetoform.com/x', uri: 'https://evil.com/' },
    { url: 'https://evil.com/', uri: 'https://acme.neetoform.com/x' },
    {},
  ];

  it.each(elsewhere)('does not add the key to any other: %j', async (options) => {
    const outcome = authenticated(options);
    await expect(outcome).rejects.toThrow(
      /^The API key was not sent: this credential belongs to https:\/\/acme\.neetoform\.com, and the request goes to .*Use it for addresses of its own workspace only$/,
    );
    await expect(outcome.catch(deepText)).resolves.not.toContain(KEY);
  });

  it('never adds the key to a request to another host, however the address is spelled', async () => {
    const pieces = words(String.raw`
      https: http: // / \ acme.neetoform.com evil.com @ :443 ? # . .. x ACME.neetoform.com %2f 。`);
    const piece = fc.constantFrom(...pieces, ' ', '\t', '\n');
    const address = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const base = fc.option(fc.oneof(fc.constant(ACME), address), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(address, base, async (url, baseURL) => {
        await authenticated({ url, baseURL }).catch(() => fc.pre(false));
        expect([ACME, 'nowhere']).toContain(askedBy(url, baseURL));
      }),
      { numRuns: 1000, maxSkipsPerRun: 1000 },
    );
  });
});
