import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { credential, owner } from '../n8n-runner/client.ts';
import { cacheFolder } from '../n8n-runner/paths.ts';

const savedDemo = z.object({
  owner,
  // The first start creates these.
  credential: credential.optional(),
  workflowId: z.string().optional(),
});

type SavedDemo = z.infer<typeof savedDemo>;

export type DemoFolder = ReturnType<typeof openFolder>;

/** Opens the folder that the demo keeps for a workspace, and empties it for a fresh start. @throws Error when another demo uses the folder */
export function openFolder(env: NodeJS.ProcessEnv, isFresh: boolean) {
  const { NEETOFORM_SUBDOMAIN: subdomain, NEETOFORM_DEMO_FOLDER: parent } = env;
  const name = subdomain ? `workspace-${subdomain.replace(/[^\w-]+/g, '-')}` : 'emulator';
  const path = join(parent || join(cacheFolder, 'demo'), name);
  const savedFile = join(path, 'demo.json');
  const lockFile = join(path, 'running.pid');
  if (existsSync(lockFile) && isRunning(Number(readFileSync(lockFile, 'utf8'))))
    throw new Error(`The demo is running already. If it is not, delete ${lockFile}.`);
  if (isFresh) rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  writeFileSync(lockFile, String(process.pid));
  const save = (saved: SavedDemo) => writeFileSync(savedFile, JSON.stringify(saved), { mode: 0o600 });
  return {
    path,
    save,
    /** What an earlier start has saved; at first, a login with a new password. */
    read(): SavedDemo {
      if (existsSync(savedFile)) return savedDemo.parse(JSON.parse(readFileSync(savedFile, 'utf8')));
      const password = `Demo-1-${randomBytes(6).toString('hex')}`;
      const saved = { owner: { email: 'owner@example.com', firstName: 'Demo', lastName: 'Owner', password } };
      save(saved);
      return saved;
    },
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
