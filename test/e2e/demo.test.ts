import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { sampleWorkspace, startEmulator } from '../../emulator/index.ts';
import { ensureN8n } from '../../n8n-runner/install.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { type ProcessGroup, startGroup } from '../../n8n-runner/processGroup.ts';
import { contactAnswers, submitForm } from './support/workflows.ts';
import { startTimeoutMs } from './support/instance.ts';

interface Demo {
  group: ProcessGroup;
  text(): string;
  /** Waits until the output matches. */
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
        if (ended) throw new Error(`The demo ended without the output ${pattern}:\n${text()}`);
        await sleep(100);
      }
    };
    demo = { group, text, says };
    return demo;
  }

  it('shows the execution that its own submission starts, as a row', async () => {
    const { group, text } = await start(['--once']);
    expect(await group.exited).toEqual({ code: 0, signal: null });
    expect(text()).toMatch(/Editor +http:\/\/127\.0\.0\.1:\d+\/workflow\/\w+\n +Email +\S+@\S+\n +Password +\S+/);
    expect(text()).toMatch(
      /Execution \d+: success[^]*"Full name": "Ada Lovelace"[^]*http:\/\/127\.0\.0\.1:\d+\/workflow\/\w+\/executions\/\d+/,
    );
  }, 300_000);

  it('leaves nothing running after Ctrl-C, and uses another port when n8n’s is in use', async () => {
    const otherServer = createServer().listen(5678, '127.0.0.1');
    await Promise.race([once(otherServer, 'listening'), once(otherServer, 'error')]);
    try {
      const { group, text, says } = await start();
      await says(/The demo has submitted/);
      expect(text()).toMatch(/Port 5678 is in use, so n8n is on port \d+/);
      const url = /Editor +(http:\/\/127\.0\.0\.1:\d+)/.exec(text())?.[1] ?? '';
      expect((await fetch(`${url}/healthz`)).status).toBe(200);

      process.kill(group.pid, 'SIGINT');
      expect(await group.exited).toEqual({ code: 0, signal: null });
      await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    } finally {
      otherServer.close();
    }
  }, 120_000);

  it('leaves nothing running when it is killed', async () => {
    const { group, text, says } = await start();
    await says(/Editor/);
    const url = /Editor +(http:\/\/127\.0\.0\.1:\d+)/.exec(text())?.[1] ?? '';
    process.kill(group.pid, 'SIGKILL');
    await group.exited;
    await sleep(2_500);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  }, 120_000);

  it('uses a real workspace when the environment gives access to one, and leaves submitting the form to people', async () => {
    const real = await startEmulator({ seed: sampleWorkspace(Date.now()) });
    try {
      const { group, text, says } = await start(['--once'], {
        NEETOFORM_SUBDOMAIN: 'acme',
        NEETOFORM_API_KEY: real.apiKey,
        NEETOFORM_BASE_URL: real.url,
        NEETOFORM_FORM_ID: real.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '',
      });
      await says(/Now submit the form at/);
      const attemptUrl = /Now submit the form at (\S+)\. /.exec(text())?.[1] ?? '';
      expect(real.requests.filter(({ method }) => method === 'POST')).toEqual([]);
      await submitForm(attemptUrl, contactAnswers);
      expect(await group.exited).toEqual({ code: 0, signal: null });
      expect(text()).toMatch(/connected to the NeetoForm workspace acme[^]*"Full name": "Grace Hopper"/);
      expect(text()).not.toContain(real.apiKey);
    } finally {
      await real.close();
    }
  }, 300_000);

  it('says what is wrong with the access to a real workspace', async () => {
    const real = await startEmulator();
    try {
      const { group, text } = await start([], {
        NEETOFORM_SUBDOMAIN: 'acme',
        NEETOFORM_API_KEY: 'mistyped',
        NEETOFORM_BASE_URL: real.url,
      });
      expect((await group.exited).code).toBe(1);
      expect(text()).toMatch(/The credential does not work with the NeetoForm workspace acme: .*API key/);
    } finally {
      await real.close();
    }
  });

  it('asks for both values when only one of subdomain and key is set', async () => {
    const { group, text } = await start([], { NEETOFORM_SUBDOMAIN: 'acme' });
    expect((await group.exited).code).toBe(1);
    expect(text()).toMatch(/set both NEETOFORM_SUBDOMAIN and NEETOFORM_API_KEY/);
  });
});
