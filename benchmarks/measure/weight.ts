import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { median } from '../statistics.ts';
import type { Bench } from './bench.ts';

/** What the package weighs. */
export interface Weight {
  /** Loading both nodes when n8n-workflow is loaded already, ms. */
  loadMs: number;
  tarballBytes: number;
}

const run = promisify(execFile);

/** Loads the nodes in fresh processes. */
export async function measureWeight({ env, tarballBytes }: Bench, loads: number): Promise<Weight> {
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    const script = join(import.meta.dirname, '..', 'process', 'loadTime.ts');
    const { stdout } = await run(process.execPath, [script], { env: { ...process.env, ...env }, timeout: 60_000 });
    times.push(Number(stdout));
  }
  return { loadMs: median(times), tarballBytes };
}
