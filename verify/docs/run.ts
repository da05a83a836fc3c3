import { setTimeout as wait } from 'node:timers/promises';

import type { LineLog } from '../../n8n-runner/lineLog.ts';
import { startGroup, type ExitStatus, type ProcessGroup } from '../../n8n-runner/processGroup.ts';
import type { Planned } from './plan.ts';

/** How a command went. */
export interface Outcome {
  /** What is wrong; undefined when it did what the documents say. */
  problem?: string;
  /** `done`, or `up, and stopped`. */
  end: string;
  seconds: number;
}

/** A server has this long to end when it is asked to. */
const STOPPING_MS = 60_000;

const MINUTE = 60_000;

/** Runs a command to its end, or until it is up and has been stopped again. */
export async function run(
  { runs, minutes, up, env = {} }: Planned,
  { cwd, clone, log }: { cwd: string; clone: string; log: LineLog },
): Promise<Outcome> {
  const started = performance.now();
  let sayUp: () => void = () => undefined;
  const isUp = new Promise<'up'>((resolve) => {
    sayUp = () => resolve('up');
  });
  const group = await startGroup('bash', {
    args: ['-c', runs],
    cwd,
    env: { ...plainEnvironment(process.env), CLONE: clone, VERIFY_DOCS: 'nested', ...env },
    onLine: (line) => {
      log.add(line);
      if (up?.test(line)) sayUp();
    },
  });
  const limit = new AbortController();
  const tooLong = wait(minutes * MINUTE, 'too long' as const, { signal: limit.signal }).catch(
    () => 'too long' as const,
  );
  const outcome = await Promise.race([group.exited, isUp, tooLong]);
  limit.abort();
  const verdict = await endOf(outcome, group, { minutes, isServer: up !== undefined });
  return { ...verdict, seconds: Math.round((performance.now() - started) / 1_000) };
}

async function endOf(
  outcome: ExitStatus | 'up' | 'too long',
  group: ProcessGroup,
  { minutes, isServer }: { minutes: number; isServer: boolean },
): Promise<Omit<Outcome, 'seconds'>> {
  if (outcome === 'up') {
    group.kill('SIGINT');
    const isStopped = await within(STOPPING_MS, group);
    return isStopped
      ? { end: 'up, and stopped' }
      : { end: 'up', problem: `did not end within ${STOPPING_MS / 1_000} s when it was stopped` };
  }
  if (outcome === 'too long') {
    group.kill('SIGTERM');
    await within(STOPPING_MS, group);
    return { end: 'too long', problem: `took longer than ${minutes} minutes` };
  }
  const said = outcome.code === null ? `ended by ${outcome.signal ?? 'a signal'}` : `ended with ${outcome.code}`;
  if (isServer) return { end: 'not up', problem: `${said} before it was up` };
  return outcome.code === 0 ? { end: 'done' } : { end: 'failed', problem: said };
}

/** Whether a process ends in time; one that does not is made to. */
async function within(ms: number, group: ProcessGroup): Promise<boolean> {
  const limit = new AbortController();
  const timeUp = wait(ms, false, { signal: limit.signal }).catch(() => false);
  const isEnded = await Promise.race([group.exited.then(() => true), timeUp]);
  limit.abort();
  if (!isEnded) group.kill('SIGKILL');
  return isEnded;
}

/** The environment of a terminal: without what `npm run` has added to ours. */
function plainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const added = /^(?:npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$|NODE_OPTIONS$)/;
  const kept = Object.entries(env).filter(([name]) => !added.test(name));
  const path = (env['PATH'] ?? '').split(':').filter((folder) => !/node_modules\/(?:\.bin|@npmcli\/)/.test(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(':') };
}
