import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { addForms, anyText, useHarness } from '../support/harness';
import { words } from '../support/words';

const harness = useHarness();

const pem = (label: string, base64: string) =>
  [`-----BEGIN ${label}-----`, ...words(base64), `-----END ${label}-----`].join('\n');

/** A certificate that nobody trusts, for 127.0.0.1 until the year 2120, and its key. */
const SELF_SIGNED = {
  key: pem(
    'PRIVATE KEY',
    `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBLJwJJHmHhtfh2aRa2qsCZObgAXRHHYym/kPuVE4XfOhRANCAASN4CEM
     JkRAPkU87hwZOV/gHAQGd2YTjyN2teLMjDZqfAgALTFXRb6aDcNMY75uKZh2PJN3fzJGaTYgLMQuB7oK`,
  ),
  cert: pem(
    'CERTIFICATE',
    `MIIBTTCB9aADAgECAgEBMAoGCCqGSM49BAMCMBYxFDASBgNVBAMMC3NlbGYtc2lnbmVkMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
     MDAwMDAwWjAWMRQwEgYDVQQDDAtzZWxmLXNpZ25lZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABI3gIQwmREA+RTzuHBk5X+AcBAZ3
     ZhOPI3a14syMNmp8CAAtMVdFvpoNw0xjvm4pmHY8k3d/MkZpNiAsxC4HugqjMjAwMA8GA1UdEQQIMAaHBH8AAAEwHQYDVR0OBBYEFG4s
     CBhzXQ8d+5Kp/0AEkSuGiOFXMAoGCCqGSM49BAMCA0cAMEQCIHn0jnYSwXxFmthL37p33ES4nqxTUgDQ/xqzqjCsPdbaAiBpzgUEOIe6
     AjAcBdebK0OycTOpzwhYJCN1KDvqhzaa5g==`,
  ),
};

describe('a server whose certificate is not trusted', () => {
  const server = createServer(SELF_SIGNED, (_request, response) => response.end('{"forms":[]}'));
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
    expect(await download({})).toMatchObject([{ error: anyText(/certificate/) }]);
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
  expect((await harness.fail(parameters)).message).toBe('Form not found');
  expect(harness.requests()).toEqual(['GET /v2/forms/jane%40example.com']);
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
