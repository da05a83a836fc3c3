import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { x } from 'tinyexec';

/** A Node.js option that ends a process and everything it started when the process that started it is gone. */
export const exitWithParent = `--import=${pathToFileURL(join(import.meta.dirname, 'exitWithParent.mjs')).href}`;

export type ProcessGroup = Awaited<ReturnType<typeof startGroup>>;

interface GroupOptions {
  args: string[];
  cwd: string;
  /** The complete environment: nothing is inherited. */
  env: NodeJS.ProcessEnv;
  logFile: string;
}

/** After this time, a process that was asked to stop is killed. */
const STOP_WITHIN_MS = 20_000;

/** Starts a command and its own process group, which ends with the command. @throws Error when it cannot be started */
export async function startGroup(command: string, { args, cwd, env, logFile }: GroupOptions) {
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const exited = once(child, 'exit').then(() => {
    // Processes that the command started may still run.
    signalGroup(pid, 'SIGKILL');
    return child.exitCode;
  });
  const group = {
    pid,
    output: () => readFileSync(logFile, 'utf8'),
    /** The exit code; null after a signal. */
    exited,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: (signal: NodeJS.Signals) => signalGroup(pid, signal),
    async stop(): Promise<void> {
      const timer = setTimeout(() => group.kill('SIGKILL'), STOP_WITHIN_MS);
      group.kill('SIGTERM');
      await group.exited;
      clearTimeout(timer);
    },
  };
  return group;
}

/** Waits until a server is ready. @throws Error with the end of its output when it ends, or is killed because it is not ready in time */
export async function untilReady(what: string, group: ProcessGroup, isReady: () => boolean | Promise<boolean>) {
  try {
    await until('it is ready', async () => group.hasEnded() || (await isReady()), { withinMs: 300_000 });
    if (group.hasEnded()) throw new Error('It has ended');
  } catch (cause) {
    group.kill('SIGKILL');
    const end = group.output().slice(-3_000);
    throw new Error(`${what} did not start (${String(cause)}). The end of its output:\n\n${end}`, { cause });
  }
}

/** Waits until something is true, or is found, and returns it. @throws Error when it is not there in time, and what `find` throws */
export async function until<T>(
  what: string,
  find: () => T | false | undefined | Promise<T | false | undefined>,
  { everyMs = 200, withinMs = 200_000 } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await find();
    if (found !== false && found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Not after ${withinMs / 1000} seconds: ${what}`);
    await sleep(everyMs);
  }
}

/** Whether a URL responds with a status of success. */
export async function isOk(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Jest has several Error classes, so instanceof cannot be used.
    const isGone = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}

/** Runs npm with the Node.js of this process, and returns its output. @throws Error with the end of its output when it fails */
export async function runNpm(args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  // When this process was started by npm, the inner npm would use the outer one's folder.
  const inherited = { ...withOurNodeFirst(process.env), npm_config_local_prefix: undefined };
  const { stdout, stderr, exitCode } = await x('npm', args, { nodeOptions: { cwd, env: { ...inherited, ...env } } });
  if (exitCode !== 0) throw new Error(`npm ${args.join(' ')} failed:\n\n${`${stdout}\n${stderr}`.slice(-3_000)}`);
  return stdout;
}

/** Puts the Node.js of this process first on the PATH: native modules are compiled for that version. */
export function withOurNodeFirst(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: [dirname(process.execPath), env['PATH']].join(delimiter) };
}
