import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { packPackage } from '../../n8n-host/communityPackage.ts';
import { median } from '../statistics.ts';

/** What the package weighs. */
export interface Weight {
  /** Loading both nodes when n8n-workflow is loaded already, ms. */
  loadMs: number;
  tarballBytes: number;
}

const run = promisify(execFile);

/** Loads the nodes in fresh processes, and packs the package. */
export async function measureWeight(loads: number): Promise<Weight> {
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, '..', 'process', 'loadTime.ts')]);
    times.push(Number(stdout));
  }
  const { tarball, remove } = await packPackage();
  try {
    return { loadMs: median(times), tarballBytes: (await stat(tarball)).size };
  } finally {
    await remove();
  }
}
