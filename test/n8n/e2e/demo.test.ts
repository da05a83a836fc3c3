import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { sampleWorkspace, startEmulator } from '../../../emulator/index.ts';
import { N8nClient } from '../../../n8n-runner/client.ts';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { type ProcessGroup, startGroup } from '../../../n8n-runner/process.ts';
import { contactAnswers, submitForm } from './support/workflows.ts';
import { until } from './support/instance.ts';

describe('npm start', () => {
  let group: ProcessGroup;
  let folder: string;
  let starts = 0;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'demo-'));
  });
  afterEach(async () => {
    await group.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function start(args: string[] = [], env: Record<string, string> = {}): Promise<void> {
    group = await startGroup(process.execPath, {
      args: ['demo/start.ts', ...args],
      cwd: repositoryFolder,
      logFile: join(folder, `start-${(starts += 1)}.log`),
      env: { ...process.env, NEETOFORM_DEMO_FOLDER: folder, ...env },
    });
  }

  /** Waits until the output matches, and returns the text of the group in the pattern. */
  async function find(pattern: RegExp): Promise<string> {
    const [, found = ''] = await until(`${pattern} in the output`, () => pattern.exec(group.output()) ?? undefined);
    return found;
  }

  it('shows its own submission as a row; keeps login, workflows and forms, and says where, until it is started with --fresh; leaves nothing running', async () => {
    const login = async () => ({
      email: await find(/ Email +(\S+@\S+)/),
      password: await find(/ Password +(\S+)/),
      form: await find(/Submit a form yourself: (\S+)/),
    });
    const editor = async () => await find(/Editor +(http:\/\/127\.0\.0\.1:\d+)/);
    const connect = async (user: Awaited<ReturnType<typeof login>>) => {
      const client = new N8nClient(await editor());
      await client.login(user);
      return client;
    };
    await start();
    expect(await find(/Execution \d+: success[^]*?(http\S+executions\/\d+)/)).toMatch(`${await editor()}/workflow/`);
    expect(group.output()).toContain('"Full name": "Ada Lovelace"');
    const first = await login();
    const built = { name: 'Built by the user', nodes: [], connections: {} };
    const { id } = await (await connect(first)).createWorkflow(built);
    expect(group.output()).toContain(join(folder, 'emulator'));
    process.kill(group.pid, 'SIGINT');
    expect(await group.exited).toBe(0);

    await start();
    await find(/(Execution \d+: success)/);
    expect(await login()).toEqual(first);
    expect(await (await connect(first)).findWorkflow(id)).toMatchObject({ name: built.name });
    const health = `${await editor()}/healthz`;
    expect((await fetch(health)).status).toBe(200);
    process.kill(group.pid, 'SIGKILL');
    expect(await group.exited).toBe(null);
    await sleep(2_500);
    await expect(fetch(health)).rejects.toThrow('fetch failed');

    await start(['--fresh']);
    const fresh = await login();
    expect(fresh.password).not.toBe(first.password);
    expect(await (await connect(fresh)).findWorkflow(id)).toBe(undefined);
  }, 600_000);

  it('uses a real workspace when the environment gives access to one, and leaves submitting the form to people', async () => {
    const real = await startEmulator({ seed: sampleWorkspace(Date.now()) });
    // n8n's own port is in use: by this server, or by another program already.
    const otherServer = createServer().listen(5678, '127.0.0.1');
    await new Promise((resolve) => otherServer.once('listening', resolve).once('error', resolve));
    try {
      const workspace = { NEETOFORM_SUBDOMAIN: 'acme', NEETOFORM_API_KEY: real.apiKey, NEETOFORM_BASE_URL: real.url };
      await start([], workspace);
      await find(/Now submit a form of your workspace\./);
      expect(group.output()).toMatch(/Port 5678 is in use, so n8n is on port \d+/);
      expect(real.requests.filter(({ method }) => method === 'POST')).toEqual([]);
      const form = real.workspace.forms.find(({ title }) => title === 'Contact us');
      await submitForm(`${real.url}/forms/${form?.id}/attempt`, contactAnswers);
      await find(/connected to the NeetoForm workspace acme[^]*("Full name": "Grace Hopper")/);
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
