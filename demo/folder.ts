import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { cacheFolder } from '../n8n-runner/paths.ts';

const savedDemo = z.object({
  owner: z.object({ email: z.string(), firstName: z.string(), lastName: z.string(), password: z.string() }),
  /** Missing until n8n has them. */
  credential: z.object({ id: z.string(), name: z.string() }).optional(),
  workflowId: z.string().optional(),
});

/** What the demo remembers of its n8n. */
export type SavedDemo = z.infer<typeof savedDemo>;

/** Where the demo keeps n8n's data and the emulated workspace, so that the next start continues there. */
export class DemoFolder {
  readonly path: string;
  private readonly savedFile: string;
  private readonly lockFile: string;

  /** Chooses a folder for the workspace that the environment names, or for the emulated one. */
  constructor({ NEETOFORM_SUBDOMAIN: subdomain, NEETOFORM_DEMO_FOLDER: parent }: NodeJS.ProcessEnv) {
    const name = subdomain ? `workspace-${subdomain.replace(/[^\w-]+/g, '-')}` : 'emulator';
    this.path = join(parent || join(cacheFolder, 'demo'), name);
    this.savedFile = join(this.path, 'demo.json');
    this.lockFile = join(this.path, 'running.pid');
  }

  /**
   * Makes sure that the folder is there, and that one demo at a time uses it.
   *
   * @param isFresh whether what is in it is deleted
   * @throws Error when a demo uses it
   */
  open(isFresh: boolean): void {
    if (existsSync(this.lockFile) && isRunning(Number(readFileSync(this.lockFile, 'utf8'))))
      throw new Error(`The demo is running already. If it is not, delete ${this.lockFile}.`);
    if (isFresh) rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.path, { recursive: true });
    writeFileSync(this.lockFile, String(process.pid));
  }

  /** Lets another demo use the folder. */
  close(): void {
    rmSync(this.lockFile, { force: true });
  }

  /** What an earlier start has saved; a login with a new password for the first. */
  read(): SavedDemo {
    if (existsSync(this.savedFile)) return savedDemo.parse(JSON.parse(readFileSync(this.savedFile, 'utf8')));
    const password = `Demo-1-${randomBytes(6).toString('hex')}`;
    const saved = { owner: { email: 'owner@example.com', firstName: 'Demo', lastName: 'Owner', password } };
    this.save(saved);
    return saved;
  }

  save(saved: SavedDemo): void {
    writeFileSync(this.savedFile, JSON.stringify(saved), { mode: 0o600 });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
