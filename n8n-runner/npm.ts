import { delimiter, dirname } from 'node:path';

import type { LineLog } from './lineLog.ts';
import { exitWithParent, startGroup } from './processGroup.ts';

export interface NpmOptions {
  cwd: string;
  log: LineLog;
  /** Added to the inherited environment. */
  env?: NodeJS.ProcessEnv;
}

/** Runs npm with the Node.js version of this process. Returns whether it succeeded; its output goes to the log. */
export async function runNpm(args: string[], { cwd, log, env }: NpmOptions): Promise<boolean> {
  // When this process was started by npm, the inner npm would use the outer one's folder.
  const { npm_config_local_prefix: _outerFolder, NODE_OPTIONS: nodeOptions, ...inherited } = process.env;
  log.add(`> npm ${args.join(' ')}`);
  const npm = await startGroup('npm', {
    args,
    cwd,
    env: { ...withOurNodeFirst(inherited), NODE_OPTIONS: [nodeOptions, exitWithParent].join(' ').trim(), ...env },
    onLine: (line) => log.add(line),
  });
  return (await npm.exited).code === 0;
}

/** Puts the Node.js of this process first on the PATH: native modules are compiled for, and loaded by, that version. */
export function withOurNodeFirst(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: [dirname(process.execPath), env['PATH']].join(delimiter) };
}
