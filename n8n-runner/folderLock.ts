import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { hasErrorCode } from './errorCode.ts';

const heartbeatMs = 2_000;
const staleAfterMs = 30_000;

/**
 * Runs the work while no other process does. The lock is a folder whose time is kept fresh, so that
 * one left by a process that died, or by a machine that went down, is taken over.
 */
export async function withFolderLock<T>(folder: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  await acquire(folder, onWait);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(folder, now, now).catch(() => undefined);
  }, heartbeatMs);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true });
  }
}

async function acquire(folder: string, onWait: () => void): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  let told = false;
  while (!(await created(folder))) {
    if ((await ageMs(folder)) > staleAfterMs) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    if (!told) onWait();
    told = true;
    await sleep(1_000);
  }
}

async function created(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function ageMs(folder: string): Promise<number> {
  try {
    return Date.now() - (await stat(folder)).mtimeMs;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
