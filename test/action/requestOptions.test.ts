import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { anyText } from '../support/harness';
import { harness } from './filledForm';
import { keys, missing, read, submitFiles } from './uploads';

/** A certificate that nobody trusts, until 2120, and its key, made for this test. */
const SELF_SIGNED = {
  key: pem('PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEIBHePAI3o8l6+eLNbISqkXlyX7myMe93P1/4btrPBT2Q'),
  cert: pem(
    'CERTIFICATE',
    'MIGqMF4CATEwBQYDK2VwMAAwIhgPMjAyMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowADAqMAUGAytlcAMhACUIBws7NYez' +
      'q3wsIKbneNclok3/3sWpnk6q7Z0b0K1KMAUGAytlcANBAL2GACx78CLz3lz3nivU2gLg/wVRlR/mxNQGmSX3LRr8Yf8kqkGEaG32' +
      'SrC03wSXraRAdQw2jt3raKkpkJKzcgI=',
  ),
};

function pem(what: string, base64: string): string {
  return `-----BEGIN ${what}-----\n${base64}\n-----END ${what}-----`;
}

describe('a server whose certificate is not trusted', () => {
  const server = createServer(SELF_SIGNED, (_request, response) => response.end('{"forms":[],"total_count":0}'));
  let host: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Reads a submission with a file on that server. @returns the key of the file, or why there is none */
  async function download(requestOptions: Record<string, unknown>): Promise<unknown> {
    submitFiles({ name: 'cv.pdf', url: `https://${host}/cv.pdf` });
    const [item] = await read({ allowedFileHosts: host }, { requestOptions });
    return missing(item) ?? keys(item);
  }

  it('is asked for nothing', async () => {
    const credentials = { ...harness.credentials, baseUrl: `https://${host}` };
    const error = await harness.fail({ resource: 'form', operation: 'getAll' }, { credentials });
    expect(error.message).toBe('The certificate of the server is not trusted');
    expect(await download({})).toMatchObject([{ error: anyText(/certificate/) }]);
  });

  it('is asked with Ignore SSL Issues, for files too', async () => {
    const requestOptions = { allowUnauthorizedCerts: true };
    const credentials = { ...harness.credentials, baseUrl: `https://${host}` };
    const listForms = { resource: 'form', operation: 'getAll', requestOptions };
    expect(await harness.run(listForms, { credentials })).toEqual([]);
    expect(await download(requestOptions)).toEqual(['Resume_1']);
  });
});

it('a timeout may be longer than a timer of Node.js', async () => {
  expect(await harness.run({ resource: 'form', operation: 'getAll', requestOptions: { timeout: 1e12 } })).toHaveLength(
    1,
  );
});

it.each(['', 0])('a timeout that an expression gives as %j is the default', async (timeout) => {
  const requestOptions = { timeout: `={{ ${JSON.stringify(timeout)} }}` };
  expect(await harness.run({ resource: 'form', operation: 'getAll', requestOptions })).toHaveLength(1);
});
