import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { sampleWorkspace, startEmulator } from '../../../emulator/index.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { type ProcessGroup, startGroup } from '../../../n8n-runner/process.ts';
import { contactAnswers, submitForm } from './support/workflows.ts';
import { startTimeoutMs, until } from './support/instance.ts';

describe('npm start', () => {
  beforeAll(async () => {
    await ensureN8n();
  }, startTimeoutMs);

  let group: ProcessGroup;
  afterEach(() => group.kill('SIGTERM'));

  async function start(args: string[] = [], env: Record<string, string> = {}): Promise<void> {
    group = await startGroup(process.execPath, {
      args: ['demo/start.ts', ...args],
      cwd: repositoryFolder,
      env: { ...process.env, ...env },
    });
  }

  /** Waits until the output matches, and returns the text of the group in the pattern. */
  async function find(pattern: RegExp): Promise<string> {
    const [, found = ''] = await until(`${pattern} in the output`, () => pattern.exec(group.output()) ?? undefined);
    return found;
  }

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'shows its own submission as a row; leaves nothing running after %s',
    async (signal) => {
      await start();
      expect(await find(/Execution \d+: success[^]*?(http\S+executions\/\d+)/)).toMatch(
        /^http:\/\/127\.0\.0\.1:\d+\/workflow\//,
      );
      expect(group.output()).toContain('"Full name": "Ada Lovelace"');
      expect(group.output()).toMatch(/ Email +\S+@\S+\n +Password +\S+/);
      const health = `${await find(/Editor +(http:\/\/127\.0\.0\.1:\d+)/)}/healthz`;
      expect((await fetch(health)).status).toBe(200);
      process.kill(group.pid, signal);
      expect(await group.exited).toBe(signal === 'SIGINT' ? 0 : null);
      await sleep(2_500);
      await expect(fetch(health)).rejects.toThrow('fetch failed');
    },
    300_000,
  );

  it('uses a real workspace when the environment gives access to one, and leaves submitting the form to people', async () => {
    const real = await startEmulator({ seed: sampleWorkspace(Date.now()) });
    // n8n's own port is in use: by this server, or by another program already.
    const otherServer = createServer().listen(5678, '127.0.0.1');
    await new Promise((resolve) => otherServer.once('listening', resolve).once('error', resolve));
    try {
      await start(['--once'], {
        NEETOFORM_SUBDOMAIN: 'acme',
        NEETOFORM_API_KEY: real.apiKey,
        NEETOFORM_BASE_URL: real.url,
      });
      await find(/Now submit a form of your workspace\./);
      expect(group.output()).toMatch(/Port 5678 is in use, so n8n is on port \d+/);
      expect(real.requests.filter(({ method }) => method === 'POST')).toEqual([]);
      const form = real.workspace.forms.find(({ title }) => title === 'Contact us');
      await submitForm(`${real.url}/forms/${form?.id}/attempt`, contactAnswers);
      expect(await group.exited).toBe(0);
      expect(group.output()).toMatch(/connected to the NeetoForm workspace acme[^]*"Full name": "Grace Hopper"/);
      expect(group.output()).not.toContain(real.apiKey);
    } finally {
      otherServer.close();
      await real.close();
    }
  }, 300_000);

  it('asks for both values when only one of subdomain and key is set', async () => {
    await start([], { NEETOFORM_SUBDOMAIN: 'acme' });
    expect(await group.exited).toBe(1);
    expect(group.output()).toMatch(/set both NEETOFORM_SUBDOMAIN and NEETOFORM_API_KEY/);
  });
});
