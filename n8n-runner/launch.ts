import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import getPort from 'get-port';

import { unpackInto } from './communityPackage.ts';
import { n8nEnvironment } from './environment.ts';
import type { N8nInstallation } from './install.ts';
import { type LineLog, openLineLog } from './lineLog.ts';
import { type ExitStatus, type ProcessGroup, exitWithParent, startGroup } from './processGroup.ts';

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

/** A running n8n instance. */
export interface RunningN8n {
  url: string;
  port: number;
  log: LineLog;
  /** How its process ended; undefined while it runs. */
  exitStatus(): ExitStatus | undefined;
  /** Stops it with SIGTERM, so that n8n finishes its work; with SIGKILL after 20 seconds. */
  stop(): Promise<void>;
  /** Stops it with SIGKILL, so that n8n cannot save anything. */
  kill9(): Promise<void>;
  /** Stops it if it runs, and starts it again with the same URL and data. */
  restart(): Promise<void>;
}

const readyTimeoutMs = 300_000;
const stopTimeoutMs = 20_000;

/** Starts n8n and waits until it is ready. It ends with this process. */
export async function launchN8n(options: LaunchOptions): Promise<RunningN8n> {
  const { installation, userFolder, tarball, preferredPort, env } = options;
  if (tarball !== undefined) await unpackInto(userFolder, tarball);
  const log = openLineLog(join(userFolder, 'n8n.log'));
  const port = await getPort({ host: '127.0.0.1', ...(preferredPort !== undefined && { port: preferredPort }) });
  const environment = {
    ...n8nEnvironment({
      userFolder,
      port,
      runnersPort: await getPort({ host: '127.0.0.1' }),
      disabledModules: modulesWithTraffic(installation),
      env,
    }),
    // A worker has no editor, and has a health check only on request.
    ...(options.command === 'worker' && {
      QUEUE_HEALTH_CHECK_ACTIVE: 'true',
      QUEUE_HEALTH_CHECK_PORT: String(port),
      N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    }),
  };
  const start = async () => await startReady(options, environment, log);
  return runningN8n(await start(), { start, port, log });
}

/** The modules that send requests to other hosts. n8n does not start with an unknown module in this list. */
function modulesWithTraffic({ script }: N8nInstallation): string[] {
  const modules = join(dirname(dirname(script)), 'dist', 'modules');
  return ['mcp-registry', 'instance-ai'].filter((name) => existsSync(join(modules, name)));
}

interface Process {
  group: ProcessGroup;
  exitStatus: ExitStatus | undefined;
}

async function startReady(options: LaunchOptions, env: NodeJS.ProcessEnv, log: LineLog): Promise<Process> {
  const group = await startGroup(process.execPath, {
    args: [exitWithParent, options.installation.script, options.command ?? 'start'],
    cwd: options.userFolder,
    env,
    onLine: (line) => log.add(line),
  });
  const started: Process = { group, exitStatus: undefined };
  void group.exited.then((status) => (started.exitStatus = status));
  await waitUntilReady(started, options, `http://127.0.0.1:${env['N8N_PORT']}`, log);
  return started;
}

async function waitUntilReady(
  started: Process,
  { installation, command = 'start' }: LaunchOptions,
  url: string,
  log: LineLog,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady(url, command))) {
    if (started.exitStatus)
      throw new Error(
        `n8n ${installation.version} ended while starting:\n\n${log.tail()}\n\nThe complete log: ${log.file}`,
      );
    if (Date.now() > deadline) {
      started.group.kill('SIGKILL');
      throw new Error(
        `n8n ${installation.version} was not ready after ${readyTimeoutMs / 1000} seconds:\n\n${log.tail()}\n\nThe complete log: ${log.file}`,
      );
    }
    await sleep(200);
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

interface Restartable {
  start(): Promise<Process>;
  port: number;
  log: LineLog;
}

function runningN8n(first: Process, { start, port, log }: Restartable): RunningN8n {
  let current = first;
  const stop = async () => {
    current.group.kill('SIGTERM');
    const timer = setTimeout(() => current.group.kill('SIGKILL'), stopTimeoutMs);
    await current.group.exited;
    clearTimeout(timer);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    exitStatus: () => current.exitStatus,
    stop,
    async kill9() {
      current.group.kill('SIGKILL');
      await current.group.exited;
    },
    async restart() {
      await stop();
      current = await start();
    },
  };
}
