import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { believableWorkspace, startEmulator } from '../../emulator/index.ts';
import { ensureN8n } from '../../n8n-runner/install.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { type ProcessGroup, startGroup } from '../../n8n-runner/processGroup.ts';
import { contactAnswers, fillIn } from './support/fillIn.ts';
import { startTimeoutMs } from './support/wholeN8n.ts';

interface Demo {
  group: ProcessGroup;
  text(): string;
  /** Waits until the demo has said this. */
  says(pattern: RegExp): Promise<void>;
}

describe('npm start', () => {
  beforeAll(async () => {
    await ensureN8n();
  }, startTimeoutMs);

  let demo: Demo | undefined;
  afterEach(() => demo?.group.kill('SIGTERM'));

  async function start(args: string[] = [], env: Record<string, string> = {}): Promise<Demo> {
    const lines: string[] = [];
    const text = () => lines.join('\n');
    const group = await startGroup(process.execPath, {
      args: ['demo/start.ts', ...args],
      cwd: repositoryFolder,
      env: { ...process.env, ...env },
      onLine: (line) => lines.push(line),
    });
    let ended = false;
    void group.exited.then(() => (ended = true));
    const says = async (pattern: RegExp) => {
      while (!pattern.test(text())) {
        if (ended) throw new Error(`The demo ended without saying ${pattern}:\n${text()}`);
        await sleep(100);
      }
    };
    demo = { group, text, says };
    return demo;
  }

  it('shows a submission arriving as an execution, by itself', async () => {
    const { group, text } = await start(['--once']);
    expect(await group.exited).toEqual({ code: 0, signal: null });
    expect(text()).toMatch(/Editor +http:\/\/127\.0\.0\.1:\d+\/workflow\/\w+\n +E-mail +\S+@\S+\n +Password +\S+/);
    expect(text()).toMatch(
      /Execution \d+: success[^]*Full name: Ada Lovelace[^]*http:\/\/127\.0\.0\.1:\d+\/workflow\/\w+\/executions\/\d+/,
    );
  }, 300_000);

  it('leaves nothing running when it is ended with Ctrl-C, and finds another port when n8n’s is taken', async () => {
    const neighbour = createServer().listen(5678, '127.0.0.1');
    await Promise.race([once(neighbour, 'listening'), once(neighbour, 'error')]);
    try {
      const { group, text, says } = await start();
      await says(/The demo has just filled in/);
      expect(text()).toMatch(/Port 5678 is taken, so n8n is on port \d+/);
      const url = /Editor +(http:\/\/127\.0\.0\.1:\d+)/.exec(text())?.[1] ?? '';
      expect((await fetch(`${url}/healthz`)).status).toBe(200);

      process.kill(group.pid, 'SIGINT');
      expect(await group.exited).toEqual({ code: 0, signal: null });
      await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    } finally {
      neighbour.close();
    }
  }, 120_000);

  it('leaves nothing running when it is killed outright', async () => {
    const { group, text, says } = await start();
    await says(/Editor/);
    const url = /Editor +(http:\/\/127\.0\.0\.1:\d+)/.exec(text())?.[1] ?? '';
    process.kill(group.pid, 'SIGKILL');
    await group.exited;
    await sleep(2_500);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  }, 120_000);

  it('uses the real service when the environment gives access to one, and leaves filling in the form to people', async () => {
    const real = await startEmulator({ seed: believableWorkspace(Date.now()) });
    try {
      const { group, text, says } = await start(['--once'], {
        NEETOFORM_SUBDOMAIN: 'acme',
        NEETOFORM_API_KEY: real.apiKey,
        NEETOFORM_BASE_URL: real.url,
      });
      await says(/Now fill in the form at/);
      const attemptUrl = /Now fill in the form at (\S+)\. /.exec(text())?.[1] ?? '';
      expect(real.requests.filter(({ method }) => method === 'POST')).toEqual([]);
      await fillIn(attemptUrl, contactAnswers);
      expect(await group.exited).toEqual({ code: 0, signal: null });
      expect(text()).toMatch(/connected to the NeetoForm workspace acme[^]*Full name: Grace Hopper/);
      expect(text()).not.toContain(real.apiKey);
    } finally {
      await real.close();
    }
  }, 300_000);

  it('says what is wrong with the access to the real service', async () => {
    const real = await startEmulator();
    try {
      const { group, text } = await start([], {
        NEETOFORM_SUBDOMAIN: 'acme',
        NEETOFORM_API_KEY: 'mistyped',
        NEETOFORM_BASE_URL: real.url,
      });
      expect((await group.exited).code).toBe(1);
      expect(text()).toMatch(/The credential was refused by the NeetoForm workspace acme: .*API key/);
    } finally {
      await real.close();
    }
  });

  it('asks for both when only one half of the real service’s access is given', async () => {
    const { group, text } = await start([], { NEETOFORM_SUBDOMAIN: 'acme' });
    expect((await group.exited).code).toBe(1);
    expect(text()).toMatch(/set both NEETOFORM_SUBDOMAIN and NEETOFORM_API_KEY/);
  });
});
