import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheFolder } from '../n8n-runner/paths.ts';

const demoFolder = join(cacheFolder, 'demo');

/** An empty folder for this run's n8n; what runs that were cut off left behind is removed. */
export async function freshRunFolder(): Promise<string> {
  await mkdir(demoFolder, { recursive: true });
  for (const name of await readdir(demoFolder)) {
    if (!isRunning(Number(name))) await rm(join(demoFolder, name), { recursive: true, force: true });
  }
  const folder = join(demoFolder, String(process.pid));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  return folder;
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
