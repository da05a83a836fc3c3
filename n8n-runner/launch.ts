import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import getPort from 'get-port';

import { installPackage } from './communityPackage.ts';
import { type N8nVersion, ensureN8n } from './install.ts';
import { type ProcessGroup, exitWithParent, isOk, startGroup, untilReady, withOurNodeFirst } from './process.ts';

export interface LaunchOptions {
  /** Is installed on first use. Default: the newest. */
  version?: N8nVersion;
  /** Puts the package into n8n's folder. Default: unpacks the one of this repository there. */
  install?(userFolder: string): Promise<void>;
  /** The folder for its data, perhaps with those of an earlier start. Default: a new one. */
  userFolder?: string;
  preferredPort?: number;
  env?: Record<string, string>;
  command?: 'start' | 'worker';
}

export type RunningN8n = Awaited<ReturnType<typeof launchN8n>>;

/** Starts an n8n that ends with this process, and waits until it is ready. */
export async function launchN8n(options: LaunchOptions = {}) {
  const { install = installPackage, preferredPort, command = 'start' } = options;
  const { version, script } = await ensureN8n(options.version);
  const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-')));
  await mkdir(userFolder, { recursive: true });
  await install(userFolder);
  const host = '127.0.0.1';
  const port = await getPort({ host, ...(preferredPort !== undefined && { port: preferredPort }) });
  const url = `http://${host}:${port}`;
  const env = {
    ...isolatedEnvironment(userFolder, script),
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(await getPort({ host })),
    // A worker has no editor, and has a health check only on request.
    ...(command === 'worker' && { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: String(port) }),
    ...options.env,
  };
  const logFile = join(userFolder, 'n8n.log');
  await rm(logFile, { force: true });
  let group: ProcessGroup | undefined;

  const n8n = {
    url,
    port,
    userFolder,
    logFile,
    hasEnded: () => group?.hasEnded() ?? true,
    /** Lets n8n finish its work for at most 20 seconds. */
    async stop(): Promise<void> {
      await group?.stop();
    },
    /** n8n cannot save anything. */
    async kill9(): Promise<void> {
      group?.kill('SIGKILL');
      await group?.exited;
    },
    async remove(): Promise<void> {
      await n8n.stop();
      await rm(userFolder, { recursive: true, force: true });
    },
    /** Starts n8n, again if it runs, with the same URL and data. */
    async restart(): Promise<void> {
      await n8n.stop();
      const args = [exitWithParent, script, command];
      group = await startGroup(process.execPath, { args, cwd: userFolder, env, logFile });
      // n8n 1 reports that it is ready when its database is, before its REST API is available.
      const isUp = async () =>
        (await isOk(`${url}/healthz/readiness`)) && (command === 'worker' || (await isOk(`${url}/rest/settings`)));
      await untilReady(`n8n ${version}, which logs to ${logFile},`, group, isUp);
    },
  };
  await n8n.restart();
  return n8n;
}

/** With this environment, n8n listens on the loopback, calls no other host, and ignores the n8n settings of the user's shell. */
function isolatedEnvironment(userFolder: string, script: string): NodeJS.ProcessEnv {
  const excluded =
    /^(N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|WEBHOOK_|GENERIC_|NEETOFORM_|NODE_OPTIONS$|NODE_ENV$|JEST_|npm_)/i;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !excluded.test(name)));
  return {
    ...withOurNodeFirst(inherited),
    N8N_USER_FOLDER: userFolder,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    N8N_SECURE_COOKIE: 'false',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: modulesWithTraffic(script).join(','),
  };
}

/** The modules that send requests to other hosts. n8n does not start with an unknown module in this list. */
function modulesWithTraffic(script: string): string[] {
  const modules = join(dirname(dirname(script)), 'dist', 'modules');
  return ['mcp-registry', 'instance-ai'].filter((name) => existsSync(join(modules, name)));
}
