import type { CredentialTest } from '../../n8n-runner/client.ts';
import { textLike } from './support/matchers.ts';
import { type TestInstance, credentialFor, startTimeoutMs, startTestInstance } from './support/instance.ts';

describe("the credential's test in a real n8n instance", () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  }, startTimeoutMs);
  afterEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  async function test(changes: Record<string, string>): Promise<CredentialTest> {
    return await instance.client.testCredential(instance.credential, credentialFor(instance.emulator, changes));
  }

  it('succeeds with a key of the workspace', async () => {
    expect(await test({})).toEqual({ status: 'OK', message: 'Connection successful!' });
    expect(instance.emulator.requests).toMatchObject([{ method: 'GET', path: '/api/external/v2/forms' }]);
  });

  it('says that the key is wrong when the workspace refuses it', async () => {
    const { status, message } = await test({ apiKey: 'of-another-workspace' });
    expect(status).toBe('Error');
    expect(message).toMatch(/API key/);
    expect(message).not.toMatch(/of-another-workspace/);
  });

  it.each([
    ['no workspace answers there', () => ({ status: 404, body: '<h1>Not found</h1>' })],
    ['it leads to another host', (url: string) => ({ redirect: `${url.replace('127.0.0.1', 'localhost')}/elsewhere` })],
  ])('says that the subdomain is wrong when %s, and sends the key nowhere else', async (_when, effect) => {
    instance.emulator.fail({ with: effect(instance.emulator.url) });
    expect(await test({})).toMatchObject({ status: 'Error', message: textLike(/No NeetoForm workspace.*'Subdomain'/) });
    expect(instance.emulator.requests.map(({ path }) => path)).toEqual(['/api/external/v2/forms']);
  });

  it('sends nothing when the subdomain would lead the key to another host', async () => {
    expect(await test({ subdomain: 'evil.example/', baseUrl: '' })).toMatchObject({
      status: 'Error',
      message: textLike(/'Subdomain'/),
    });
    expect(instance.emulator.requests).toEqual([]);
  });
});
