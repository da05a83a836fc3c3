import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Credential, Owner } from '../n8n-runner/client.ts';
import { cacheFolder } from '../n8n-runner/paths.ts';

/** What the demo has set up in its n8n. */
export interface SavedDemo {
  owner: Owner;
  credential: Credential;
  workflowId: string;
}

/** Where the demo keeps n8n's data and the emulated workspace, so that the next start continues there. */
export type DemoFolder = ReturnType<typeof openFolder>;

/**
 * Makes sure that there is a folder for the workspace that the environment names, or for the emulated one, and that one demo at a time
 * uses it.
 *
 * @param isFresh whether what is in it is deleted
 * @throws Error when a demo uses it
 */
export function openFolder(env: NodeJS.ProcessEnv, isFresh: boolean) {
  const { NEETOFORM_SUBDOMAIN: subdomain, NEETOFORM_DEMO_FOLDER: parent } = env;
  const name = subdomain ? `workspace-${subdomain.replace(/[^\w-]+/g, '-')}` : 'emulator';
  const path = join(parent || join(cacheFolder, 'demo'), name);
  const [savedFile, lockFile] = [join(path, 'demo.json'), join(path, 'running.pid')];
  if (existsSync(lockFile) && isRunning(Number(readFileSync(lockFile, 'utf8'))))
    throw new Error(`The demo is running already. If it is not, delete ${lockFile}.`);
  // Nobody knows the login of an n8n that was not set up to the end.
  if (isFresh || !existsSync(savedFile)) rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  writeFileSync(lockFile, String(process.pid));
  return {
    path,
    /** What an earlier start has set up. */
    saved: existsSync(savedFile) ? (JSON.parse(readFileSync(savedFile, 'utf8')) as SavedDemo) : undefined,
    save: (demo: SavedDemo) => writeFileSync(savedFile, JSON.stringify(demo), { mode: 0o600 }),
    /** Lets another demo use the folder. */
    close: () => rmSync(lockFile, { force: true }),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
