import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { x } from 'tinyexec';

import { runnerFolder } from './paths.ts';

/** A Node.js option that ends a process and everything it started when the process that started it is gone. */
export const exitWithParent = `--import=${pathToFileURL(join(runnerFolder, 'exitWithParent.mjs')).href}`;

/** How a process ended. One of the two is null. */
export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A command in its own process group, so that a signal also reaches the processes it started. */
export interface ProcessGroup {
  pid: number;
  exited: Promise<ExitStatus>;
  /** Sends a signal to every process of the group. Does nothing when none is left. */
  kill(signal: NodeJS.Signals): void;
}

export interface GroupOptions {
  args: string[];
  cwd: string;
  /** The complete environment: nothing is inherited. */
  env: NodeJS.ProcessEnv;
  /** Called with each line of output. */
  onLine(line: string): void;
}

const running = new Set<ProcessGroup>();
process.once('exit', () => {
  for (const group of running) group.kill('SIGKILL');
});

/**
 * Starts a command in its own process group.
 *
 * @throws Error when the command cannot be started
 */
export async function startGroup(command: string, { args, cwd, env, onLine }: GroupOptions): Promise<ProcessGroup> {
  // tinyexec adds to the inherited environment; an undefined variable is not passed on.
  const notInherited = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const started = x(command, args, {
    nodePath: false,
    nodeOptions: { cwd, env: { ...notInherited, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  const { pid, process: child } = started;
  if (pid === undefined || child === undefined) {
    await started;
    throw new Error(`${command} could not be started`);
  }
  const kill = (signal: NodeJS.Signals): void => signalGroup(pid, signal);
  // Its own children would keep the output open.
  child.once('exit', () => {
    kill('SIGKILL');
    running.delete(group);
  });
  const readToEnd = async (): Promise<ExitStatus> => {
    for await (const line of started) onLine(line);
    return { code: child.exitCode, signal: child.signalCode };
  };
  const group: ProcessGroup = { pid, kill, exited: readToEnd() };
  running.add(group);
  return group;
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
