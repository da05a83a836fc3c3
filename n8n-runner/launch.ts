import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { unpackInto } from './communityPackage.ts';
import { n8nEnvironment } from './environment.ts';
import type { N8nInstallation } from './install.ts';
import { type LineLog, openLineLog } from './lineLog.ts';
import { findFreePort } from './ports.ts';
import { type ExitStatus, type ProcessGroup, exitWithParent, startGroup } from './processGroup.ts';

export interface LaunchOptions {
  installation: N8nInstallation;
  /** n8n's data, log and community packages; may be one that was used before. */
  userFolder: string;
  /** The packed community package to offer in it. */
  tarball?: string;
  /** Taken if it is free. */
  preferredPort?: number;
  /** Added to, or instead of, the usual environment. */
  env?: Record<string, string>;
  readyTimeoutMs?: number;
  /** What runs: n8n itself, the default, or a worker of its queue mode. */
  command?: 'start' | 'worker';
}

/** An n8n that answers requests. */
export interface RunningN8n {
  url: string;
  port: number;
  log: LineLog;
  /** How its process ended, if it did. */
  exitStatus(): ExitStatus | undefined;
  /** Lets n8n finish what it is doing. */
  stop(): Promise<void>;
  /** Gives n8n no chance to save anything. */
  kill9(): Promise<void>;
  /** Stops it, if it runs, and starts it again with the same address and data. */
  restart(): Promise<void>;
}

const stopTimeoutMs = 20_000;
const launchAttempts = 3;

/** Starts n8n and resolves when it is ready; nothing of it outlives this process. */
export async function launchN8n(options: LaunchOptions): Promise<RunningN8n> {
  const { installation, userFolder, tarball, preferredPort, env } = options;
  if (tarball !== undefined) await unpackInto(userFolder, tarball);
  const log = openLineLog(join(userFolder, 'n8n.log'));

  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort(preferredPort);
    const environment = {
      ...n8nEnvironment({
        userFolder,
        port,
        runnersPort: await findFreePort(),
        disabledModules: talkativeModules(installation),
        env,
      }),
      // A worker has no editor, and answers only when it is told to.
      ...(options.command === 'worker' && {
        QUEUE_HEALTH_CHECK_ACTIVE: 'true',
        QUEUE_HEALTH_CHECK_PORT: String(port),
        N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
      }),
    };
    const start = async () => await startReady(options, environment, log);
    try {
      return runningN8n(await start(), { start, port, log });
    } catch (error) {
      const portWasTakenMeanwhile = /already in use|EADDRINUSE/.test(log.tail());
      if (!portWasTakenMeanwhile || attempt === launchAttempts) throw error;
    }
  }
}

/** The modules that call other hosts. An n8n does not start when it is told to leave out one that it does not know. */
function talkativeModules({ script }: N8nInstallation): string[] {
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
  { installation, readyTimeoutMs = 120_000, command = 'start' }: LaunchOptions,
  url: string,
  log: LineLog,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady(url, command))) {
    if (started.exitStatus)
      throw new Error(
        `n8n ${installation.version} ended while starting:\n\n${log.tail()}\n\nThe whole log: ${log.file}`,
      );
    if (Date.now() > deadline) {
      started.group.kill('SIGKILL');
      throw new Error(
        `n8n ${installation.version} was not ready after ${readyTimeoutMs / 1000} seconds:\n\n${log.tail()}\n\nThe whole log: ${log.file}`,
      );
    }
    await sleep(200);
  }
}

/** n8n 1 calls itself ready when its database is, before it knows the addresses of its REST API. */
async function isReady(url: string, command: 'start' | 'worker'): Promise<boolean> {
  return (
    (await answers(`${url}/healthz/readiness`)) && (command === 'worker' || (await answers(`${url}/rest/settings`)))
  );
}

async function answers(url: string): Promise<boolean> {
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
