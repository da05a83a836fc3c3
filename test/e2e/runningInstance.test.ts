import { join } from 'node:path';

import { x } from 'tinyexec';

import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { Session } from '../../n8n-runner/session.ts';
import { type TestInstance, owner, startTestInstance, startTimeoutMs } from './support/instance.ts';

describe('npm run test:instance', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  }, startTimeoutMs);
  afterAll(async () => await instance.stop());

  async function runChecks(env: Record<string, string>): Promise<{ exitCode: number | undefined; stderr: string }> {
    const jest = join('node_modules', 'jest', 'bin', 'jest.js');
    return await x(process.execPath, [jest, '--config', 'test/versions/instance.jest.config.js'], {
      nodeOptions: { cwd: repositoryFolder, env },
    });
  }

  it('checks a running n8n by its URL, and leaves nothing behind', async () => {
    const session = new Session(instance.n8n.url);
    await session.request('POST', '/login', { emailOrLdapLoginId: owner.email, password: owner.password });
    const contents = async () => [
      await session.request('GET', '/workflows'),
      await session.request('GET', '/credentials'),
    ];
    const before = await contents();

    const { exitCode, stderr } = await runChecks({
      N8N_URL: instance.n8n.url,
      N8N_EMAIL: owner.email,
      N8N_PASSWORD: owner.password,
    });
    expect(stderr).toMatch(/Tests: +5 passed, 5 total/);
    expect(exitCode).toBe(0);
    expect(await contents()).toEqual(before);
  }, 300_000);

  it('fails when it cannot log in', async () => {
    const { exitCode, stderr } = await runChecks({
      N8N_URL: instance.n8n.url,
      N8N_EMAIL: owner.email,
      N8N_PASSWORD: 'Wrong-4-sure',
    });
    expect(stderr).toMatch(/POST \/login → 401/);
    expect(exitCode).toBe(1);
  });
});
