import { delimiter, dirname } from 'node:path';

import type { LineLog } from './lineLog.ts';
import { exitWithParent, startGroup } from './processGroup.ts';

export interface NpmOptions {
  cwd: string;
  log: LineLog;
  env?: NodeJS.ProcessEnv;
}

/** Runs npm on the Node that runs us; its output goes to the log. Says whether it succeeded. */
export async function runNpm(args: string[], { cwd, log, env }: NpmOptions): Promise<boolean> {
  // Under `npm start` the outer npm's folder would be taken for the inner one's.
  const { npm_config_local_prefix: _outerFolder, NODE_OPTIONS: nodeOptions, ...inherited } = process.env;
  log.add(`> npm ${args.join(' ')}`);
  const npm = await startGroup('npm', {
    args,
    cwd,
    env: { ...withOurNodeFirst(inherited), NODE_OPTIONS: [nodeOptions, exitWithParent].join(' ').trim(), ...env },
    onLine: (line) => log.add(line),
  });
  const { code } = await npm.exited;
  return code === 0;
}

/** Native modules are compiled for, and loaded by, the Node that comes first on the PATH. */
export function withOurNodeFirst(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: [dirname(process.execPath), env['PATH']].join(delimiter) };
}
