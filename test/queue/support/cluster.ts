import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient } from '../../../n8n-runner/client.ts';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../../../n8n-runner/launch.ts';
import { ensureServers, startServers } from './servers.ts';

/** n8n in queue mode: one that polls and hands out executions, and those that run them. */
export interface Cluster {
  client: N8nClient;
  workers: Record<string, RunningN8n>;
  /** Starts one more n8n of the main kind on the same database. */
  startSecondMain(env: Record<string, string>): Promise<RunningN8n>;
  stop(): Promise<void>;
}

const owner = { email: 'owner@example.com', firstName: 'Test', lastName: 'Owner', password: 'Only-4-tests' };

/** @param env added to that of every process */
export async function startCluster(workerNames: string[], env: Record<string, string> = {}): Promise<Cluster> {
  await ensureServers();
  const installation = await ensureN8n({ onProgress: (line) => process.stderr.write(`${line}\n`) });
  const packed = await packPackage();
  const folder = await mkdtemp(join(tmpdir(), 'n8n-cluster-'));
  const servers = await startServers();
  const shared = { ...servers.env, N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'), ...env };
  const running: RunningN8n[] = [];

  async function launch(
    name: string,
    command: 'start' | 'worker',
    more: Record<string, string> = {},
  ): Promise<RunningN8n> {
    const n8n = await launchN8n({
      installation,
      userFolder: join(folder, name),
      tarball: packed.tarball,
      command,
      readyTimeoutMs: 300_000,
      // Expressions read the worker's name from the environment.
      env: { ...shared, N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false', WORKER_NAME: name, ...more },
    });
    running.push(n8n);
    return n8n;
  }

  // The main one creates the database.
  const main = await launch('main', 'start');
  const workers = await Promise.all(workerNames.map(async (name) => [name, await launch(name, 'worker')] as const));
  const client = new N8nClient(main.url);
  await client.ownerSetup(owner);

  return {
    client,
    workers: Object.fromEntries(workers),
    startSecondMain: async (more) => await launch('second-main', 'start', more),
    async stop() {
      await Promise.all(running.map(async (n8n) => await n8n.stop()));
      await servers.stop();
      await packed.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
