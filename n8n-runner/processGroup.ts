import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { hasErrorCode } from './errorCode.ts';
import { n8nHostFolder } from './paths.ts';

/** Node option that makes a child, and whatever it started, end when the process that started it is gone. */
export const exitWithParent = `--import=${pathToFileURL(join(n8nHostFolder, 'exitWithParent.mjs')).href}`;

/** How a process ended: one of the two is null. */
export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A command running in a process group of its own, so that a signal reaches its children too. */
export interface ProcessGroup {
  pid: number;
  exited: Promise<ExitStatus>;
  /** Signals every process of the group; does nothing when none is left. */
  kill(signal: NodeJS.Signals): void;
}

export interface GroupOptions {
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  onLine(line: string): void;
}

const running = new Set<ProcessGroup>();
process.once('exit', () => {
  for (const group of running) group.kill('SIGKILL');
});

/** Starts a command in a process group of its own and hands on its output line by line. */
export async function startGroup(command: string, options: GroupOptions): Promise<ProcessGroup> {
  const { args, cwd, env, onLine } = options;
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  createInterface({ input: child.stdout }).on('line', onLine);
  createInterface({ input: child.stderr }).on('line', onLine);
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  await once(child, 'spawn');

  const pid = child.pid;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const group: ProcessGroup = { pid, exited, kill: (signal) => signalGroup(pid, signal) };
  running.add(group);
  child.once('exit', () => {
    group.kill('SIGKILL');
    running.delete(group);
  });
  return group;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!hasErrorCode(error, 'ESRCH')) throw error;
  }
}
