import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { addForms, useHarness } from '../support/harness';

const harness = useHarness();

/** A value of ASN.1, in the encoding of certificates. */
function der(tag: number, ...parts: Array<Buffer | string>): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([
    Buffer.from(content.length < 128 ? [tag, content.length] : [tag, 0x81, content.length]),
    content,
  ]);
}

/** A certificate that nobody trusts, and its key. */
function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [INTEGER, BIT_STRING, OBJECT_ID, DATE, SEQUENCE] = [0x02, 0x03, 0x06, 0x18, 0x30];
  const ed25519 = der(SEQUENCE, der(OBJECT_ID, Buffer.from([0x2b, 0x65, 0x70])));
  const nobody = der(SEQUENCE);
  const validity = der(SEQUENCE, der(DATE, '20200101000000Z'), der(DATE, '21200101000000Z'));
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const unsigned = der(SEQUENCE, der(INTEGER, '1'), ed25519, nobody, validity, nobody, publicKeyInfo);
  const signature = der(BIT_STRING, Buffer.from([0]), sign(null, unsigned, privateKey));
  const base64 = der(SEQUENCE, unsigned, ed25519, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----`,
  };
}

describe('a server whose certificate is not trusted', () => {
  const server = createServer(selfSigned(), (_request, response) => response.end('{"forms":[]}'));
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

it('looks for a team member, but not for a form, by an email address', async () => {
  const parameters = { resource: 'form', operation: 'get', formId: 'jane@example.com' };
  expect((await harness.fail(parameters)).message).toBe('Form does not exist.');
  expect(harness.requests()).toEqual([
    'GET /v2/forms?order=desc&page=1&page_size=100',
    'GET /v2/forms/jane%40example.com',
  ]);
  expect((await harness.refused({ ...parameters, formId: ' ' })).description).toMatch(/a form from the list/);
});

it.each([
  ['a list', { resource: 'form', operation: 'getAll' }],
  ['the team member to remove', { resource: 'teamMember', operation: 'remove', teamMemberId: 'jane@example.com' }],
])('advises to try again, not to look first, when reading %s failed', async (_what, parameters) => {
  const effect = { status: 503, headers: { 'Retry-After': '0' } };
  harness.emulator.fail({ when: { times: Infinity }, with: effect });
  expect((await harness.fail(parameters)).description).toMatch(/Try again later\.$/);
});
