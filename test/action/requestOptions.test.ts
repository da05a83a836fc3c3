import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { keys, missing, useUploads } from './uploads';

const { harness, read, submitFiles } = useUploads();

const listForms = { resource: 'form', operation: 'getAll' };

/** An authority that nobody trusts, and the key of servers with a certificate of it: made for this test, and valid until 2120. */
const AUTHORITY = pem(
  'CERTIFICATE',
  'MIH6MIGtoAMCAQICAQEwBQYDK2VwMAwxCjAIBgNVBAMMAXIwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMAwxCjAIBgNV' +
    'BAMMAXIwKjAFBgMrZXADIQCgROAMEH0hPkD0oYrsN9A38HYpmW3HaD8jXsOmL1KXM6MyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4E' +
    'FgQUQwsKkaebPTdB/EN88I1uOYC1WigwBQYDK2VwA0EAi14NXtpGpcFpvZxDDcoJiM0lzgNvnm1puVB6vjLA07UOJH5CftdO8v/x0ZfJ' +
    'PCrTG7fNx/aMsrfrT+P8jHrACQ==',
);
const KEY = pem('PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEIHsEHE+ot51d5kzsfFW/AFLHNlFhnRdmfPtmPcAQqd1P');

const VALID = pem(
  'CERTIFICATE',
  'MIHAMHQCAQIwBQYDK2VwMAwxCjAIBgNVBAMMAXIwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMAwxCjAIBgNVBAMMAWww' +
    'KjAFBgMrZXADIQCiZvnkT4nQvMLbw6JzBx3/yeWvCy+KWw3LJN4z2lScVTAFBgMrZXADQQC8rck7egYSb1XbRFZAckl9QrHMpztalKbm' +
    'zVM9KrvOMU3bGo43vtBNB3IVtmpy/gpBcYr+a8kRO/dZJr0lziMG',
);
const OF_2020 = pem(
  'CERTIFICATE',
  'MIG+MHICAQMwBQYDK2VwMAwxCjAIBgNVBAMMAXIwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAMMQowCAYDVQQDDAFsMCow' +
    'BQYDK2VwAyEAomb55E+J0LzC28Oicwcd/8nlrwsvilsNyyTeM9pUnFUwBQYDK2VwA0EAXOkNu3qtljXNuptqh73aGATJOZ091GTUh4UX' +
    'htTMpmyd0FFOLVpL0Ir2LOKSfPvLgY8/eYSQa6xwYCLFseldAA==',
);
const OF_2119 = pem(
  'CERTIFICATE',
  'MIHCMHYCAQQwBQYDK2VwMAwxCjAIBgNVBAMMAXIwIhgPMjExOTAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowDDEKMAgGA1UEAwwB' +
    'bDAqMAUGAytlcAMhAKJm+eRPidC8wtvDonMHHf/J5a8LL4pbDcsk3jPaVJxVMAUGAytlcANBAJfFuz62smA6tD7mus/BmsrxvmxfVmYs' +
    'DtvwIunfnsECBGQ3YBE6EZOPjREOGSVKszhneL0KNaIPNSIsnNAxaQc=',
);
const SELF_SIGNED = {
  key: pem('PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEIBHePAI3o8l6+eLNbISqkXlyX7myMe93P1/4btrPBT2Q'),
  cert: pem(
    'CERTIFICATE',
    'MIGqMF4CATEwBQYDK2VwMAAwIhgPMjAyMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowADAqMAUGAytlcAMhACUIBws7NYezq3ws' +
      'IKbneNclok3/3sWpnk6q7Z0b0K1KMAUGAytlcANBAL2GACx78CLz3lz3nivU2gLg/wVRlR/mxNQGmSX3LRr8Yf8kqkGEaG32SrC03wSX' +
      'raRAdQw2jt3raKkpkJKzcgI=',
  ),
};

function pem(what: string, base64: string): string {
  return `-----BEGIN ${what}-----\n${base64}\n-----END ${what}-----\n`;
}

describe.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', SELF_SIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', { key: KEY, cert: VALID + AUTHORITY }],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', { key: KEY, cert: VALID }],
  ['CERT_HAS_EXPIRED', { key: KEY, cert: OF_2020 + AUTHORITY }],
  ['CERT_NOT_YET_VALID', { key: KEY, cert: OF_2119 + AUTHORITY }],
])('a server whose certificate is not trusted: %s', (code, certificate) => {
  const server = createServer(certificate, (_request, response) => response.end('{"forms":[],"total_count":0}'));
  let host: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const credentials = () => ({ ...harness.credentials, baseUrl: `https://${host}` });

  /** Reads a submission with a file on that server. @returns the key of the file, or why there is none */
  async function download(requestOptions: Record<string, unknown>): Promise<unknown> {
    submitFiles({ name: 'cv.pdf', url: `https://${host}/cv.pdf` });
    const [item] = await read({ allowedFileHosts: host }, { requestOptions });
    return missing(item) ?? keys(item);
  }

  // An expression may give a text, of which only some would mean "on".
  it.each([{}, { allowUnauthorizedCerts: false }, { allowUnauthorizedCerts: "={{ 'false' }}" }])(
    'is asked for nothing with %j',
    async (requestOptions) => {
      const list = { ...listForms, requestOptions };
      const { message, description } = await harness.fail(list, { credentials: credentials() });
      expect(message).toBe('The certificate of the server is not trusted');
      expect(description).toContain(`(${code})`);
      const error = `The certificate of the file server is not trusted (${code}).`;
      expect(await download(requestOptions)).toMatchObject([{ error }]);
    },
  );

  it('is asked with Ignore SSL Issues, for files too', async () => {
    const requestOptions = { allowUnauthorizedCerts: true };
    const list = { ...listForms, requestOptions };
    expect(await harness.run(list, { credentials: credentials() })).toEqual([]);
    expect(await download(requestOptions)).toEqual(['Resume_1']);
  });
});

it.each([
  ['longer than a timer of Node.js', 1e12],
  ['an expression that gives an empty text: it is the default', "={{ '' }}"],
  ['an expression that gives 0: it is the default', '={{ 0 }}'],
  ['an expression that gives nothing: it is the default', '={{ $json.missing }}'],
])('a timeout may be %s', async (_what, timeout) => {
  expect(await harness.run({ ...listForms, requestOptions: { timeout } })).toHaveLength(1);
});
