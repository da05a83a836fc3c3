import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import getPort from 'get-port';

import { unpackInto } from './communityPackage.ts';
import type { N8nInstallation } from './install.ts';
import { type ProcessGroup, exitWithParent, startGroup, withOurNodeFirst } from './process.ts';

export interface LaunchOptions {
  installation: N8nInstallation;
  /** The folder for data, log and community packages. It can be used again. */
  userFolder: string;
  /** The packed community package to install. */
  tarball?: string;
  /** The port to use if it is free. */
  preferredPort?: number;
  /** Added to the environment; replaces variables of the same name. */
  env?: Record<string, string>;
  /** `start` (default) runs n8n, `worker` a worker of queue mode. */
  command?: 'start' | 'worker';
}

const readyTimeoutMs = 300_000;
const stopTimeoutMs = 20_000;

/** Starts n8n and waits until it is ready. It ends with this process. */
export async function launchN8n(options: LaunchOptions): Promise<RunningN8n> {
  const { userFolder, tarball, preferredPort } = options;
  if (tarball !== undefined) await unpackInto(userFolder, tarball);
  mkdirSync(userFolder, { recursive: true });
  const host = '127.0.0.1';
  const port = await getPort({ host, ...(preferredPort !== undefined && { port: preferredPort }) });
  const n8n = new RunningN8n(options, port, environmentOf(options, port, await getPort({ host })));
  await n8n.restart();
  return n8n;
}

/** An n8n instance. */
export class RunningN8n {
  readonly url: string;
  readonly port: number;
  /** Every line of its output is in this file, and in memory. */
  readonly logFile: string;
  readonly logLines: string[] = [];
  private group: ProcessGroup | undefined;
  private readonly options: LaunchOptions;
  private readonly env: NodeJS.ProcessEnv;

  constructor(options: LaunchOptions, port: number, env: NodeJS.ProcessEnv) {
    this.options = options;
    this.env = env;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.logFile = join(options.userFolder, 'n8n.log');
  }

  /** Whether its process has ended. */
  get hasEnded(): boolean {
    return this.group?.hasEnded() ?? true;
  }

  /** The last lines of its log, for an error message. */
  logTail(count = 30): string {
    return `${this.logLines.slice(-count).join('\n')}\n\nThe complete log: ${this.logFile}`;
  }

  /** Stops it with SIGTERM, so that n8n finishes its work; with SIGKILL after 20 seconds. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.group?.kill('SIGKILL'), stopTimeoutMs);
    this.group?.kill('SIGTERM');
    await this.group?.exited;
    clearTimeout(timer);
  }

  /** Stops it with SIGKILL, so that n8n cannot save anything. */
  async kill9(): Promise<void> {
    this.group?.kill('SIGKILL');
    await this.group?.exited;
  }

  /** Stops it if it runs, starts it with the same URL and data, and waits until it is ready. */
  async restart(): Promise<void> {
    await this.stop();
    const { installation, userFolder, command = 'start' } = this.options;
    this.group = await startGroup(process.execPath, {
      args: [exitWithParent, installation.script, command],
      cwd: userFolder,
      env: this.env,
      onLine: (line) => {
        this.logLines.push(line);
        appendFileSync(this.logFile, `${line}\n`);
      },
    });
    const deadline = Date.now() + readyTimeoutMs;
    while (!(await isReady(this.url, command))) {
      const isLate = Date.now() > deadline;
      if (isLate) this.group.kill('SIGKILL');
      const problem = isLate ? 'was not ready in time' : 'ended while starting';
      if (isLate || this.hasEnded) throw new Error(`n8n ${installation.version} ${problem}:\n\n${this.logTail()}`);
      await sleep(200);
    }
  }
}

/** n8n 1 reports that it is ready when its database is, before its REST API is available. */
async function isReady(url: string, command: 'start' | 'worker'): Promise<boolean> {
  return (await isOk(`${url}/healthz/readiness`)) && (command === 'worker' || (await isOk(`${url}/rest/settings`)));
}

async function isOk(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

/** The environment of an isolated n8n: it listens on the loopback, calls no other host, and ignores the n8n settings of the user's shell. */
function environmentOf(
  { installation, userFolder, env, command }: LaunchOptions,
  port: number,
  runnersPort: number,
): NodeJS.ProcessEnv {
  const excluded =
    /^(N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|WEBHOOK_|GENERIC_|NEETOFORM_|NODE_OPTIONS$|NODE_ENV$|JEST_|npm_)/i;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !excluded.test(name)));
  return {
    ...withOurNodeFirst(inherited),
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(runnersPort),
    N8N_SECURE_COOKIE: 'false',
    N8N_ENCRYPTION_KEY: encryptionKey(userFolder),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: modulesWithTraffic(installation).join(','),
    // A worker has no editor, and has a health check only on request.
    ...(command === 'worker' && {
      QUEUE_HEALTH_CHECK_ACTIVE: 'true',
      QUEUE_HEALTH_CHECK_PORT: String(port),
      N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    }),
    ...env,
  };
}

/** The modules that send requests to other hosts. n8n does not start with an unknown module in this list. */
function modulesWithTraffic({ script }: N8nInstallation): string[] {
  const modules = join(dirname(dirname(script)), 'dist', 'modules');
  return ['mcp-registry', 'instance-ai'].filter((name) => existsSync(join(modules, name)));
}

/** The key is stored with the data it encrypts, so that a user folder can be used again. */
function encryptionKey(userFolder: string): string {
  const file = join(userFolder, 'encryption-key');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
