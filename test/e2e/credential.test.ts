import type { CredentialTest } from '../../n8n-runner/client.ts';
import { textLike } from './support/like.ts';
import { type WholeN8n, credentialFor, startTimeoutMs, startWholeN8n } from './support/wholeN8n.ts';

describe("the credential's test in a whole n8n", () => {
  let whole: WholeN8n;
  beforeAll(async () => {
    whole = await startWholeN8n();
  }, startTimeoutMs);
  afterEach(() => whole.emulator.reset());
  afterAll(async () => await whole.stop());

  async function test(changes: Record<string, string>): Promise<CredentialTest> {
    return await whole.client.testCredential(whole.credential, credentialFor(whole.emulator, changes));
  }

  it('is green for a key of the workspace', async () => {
    expect(await test({})).toEqual({ status: 'OK', message: 'Connection successful!' });
    expect(whole.emulator.requests).toMatchObject([{ method: 'GET', path: '/api/external/v2/forms' }]);
  });

  it('says that the key is wrong when the workspace refuses it', async () => {
    const { status, message } = await test({ apiKey: 'of-another-workspace' });
    expect(status).toBe('Error');
    expect(message).toMatch(/API key/);
    expect(message).not.toMatch(/of-another-workspace/);
  });

  it('says that the subdomain is wrong when no workspace answers there', async () => {
    whole.emulator.fail({
      with: { status: 404, body: '<h1>Not found</h1>', headers: { 'content-type': 'text/html' } },
    });
    expect(await test({})).toMatchObject({ status: 'Error', message: textLike(/No NeetoForm workspace.*'Subdomain'/) });
  });

  it('says that the subdomain is wrong when it leads to another host, and sends the key to none', async () => {
    whole.emulator.fail({ with: { redirect: `${whole.emulator.url.replace('127.0.0.1', 'localhost')}/elsewhere` } });
    expect(await test({})).toMatchObject({ status: 'Error', message: textLike(/No NeetoForm workspace.*'Subdomain'/) });
    expect(whole.emulator.requests.map(({ path }) => path)).toEqual(['/api/external/v2/forms']);
  });

  it('sends nothing when the subdomain would lead the key to another host', async () => {
    expect(await test({ subdomain: 'evil.example/', baseUrl: '' })).toMatchObject({
      status: 'Error',
      message: textLike(/'Subdomain'/),
    });
    expect(whole.emulator.requests).toEqual([]);
  });
});
