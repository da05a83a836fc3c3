import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { addForms, useHarness } from '../support/harness';

const harness = useHarness();

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

  /** Reads a submission with a file on that server. @returns the file's name, or why there is none */
  async function download(requestOptions: Record<string, unknown>): Promise<unknown> {
    const form = harness.emulator.workspace.addForm({
      title: 'Jobs',
      questions: [{ label: 'CV', kind: 'file_upload' }],
    });
    const files = [{ name: 'cv.pdf', url: `https://${host}/cv.pdf` }];
    harness.emulator.workspace.addSubmission(form.id, { answers: { cv: { files } } });
    const options = { downloadFiles: true, allowedFileHosts: host };
    const [item] = await harness.run({
      resource: 'submission',
      operation: 'getAll',
      formId: form.id,
      options,
      requestOptions,
    });
    return item?.binary?.['CV_1']?.fileName ?? item?.json['files_not_downloaded'];
  }

  it('is asked for nothing', async () => {
    const credentials = { ...harness.credentials, baseUrl: `https://${host}` };
    const error = await harness.fail({ resource: 'form', operation: 'getAll' }, { credentials });
    expect(error.message).toBe('The certificate of the server is not trusted');
    expect(await download({})).toMatch(/certificate/);
  });

  it('is asked with Ignore SSL Issues, for files too', async () => {
    const requestOptions = { allowUnauthorizedCerts: true };
    const credentials = { ...harness.credentials, baseUrl: `https://${host}` };
    const listForms = { resource: 'form', operation: 'getAll', requestOptions };
    expect(await harness.run(listForms, { credentials })).toEqual([]);
    expect(await download(requestOptions)).toBe('cv.pdf');
  });
});

it.each(['', 0])('a timeout that an expression gives as %j is the default', async (timeout) => {
  addForms(harness.emulator, 1);
  const requestOptions = { timeout: `={{ ${JSON.stringify(timeout)} }}` };
  expect(await harness.run({ resource: 'form', operation: 'getAll', requestOptions })).toHaveLength(1);
});
