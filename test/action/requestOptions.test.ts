import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { anyText } from '../support/harness';
import { harness } from './filledForm';
import { keys, missing, read, submitFiles } from './uploads';

const listForms = { resource: 'form', operation: 'getAll' };

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

  const credentials = () => ({ ...harness.credentials, baseUrl: `https://${host}` });

  /** Reads a submission with a file on that server. @returns the key of the file, or why there is none */
  async function download(requestOptions: Record<string, unknown>): Promise<unknown> {
    submitFiles({ name: 'cv.pdf', url: `https://${host}/cv.pdf` });
    const [item] = await read({ allowedFileHosts: host }, { requestOptions });
    return missing(item) ?? keys(item);
  }

  it('is asked for nothing', async () => {
    const { message } = await harness.fail(listForms, { credentials: credentials() });
    expect(message).toBe('The certificate of the server is not trusted');
    expect(await download({})).toMatchObject([{ error: anyText(/certificate/) }]);
  });

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
])('a timeout may be %s', async (_what, timeout) => {
  expect(await harness.run({ ...listForms, requestOptions: { timeout } })).toHaveLength(1);
});
