import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient } from '../../../n8n-runner/client.ts';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../../../n8n-runner/launch.ts';
import { owner } from '../../e2e/support/instance.ts';
import { ensureServers, startServers } from './servers.ts';

/** n8n in queue mode: a main instance, which polls, and the workers, which run the executions. */
export interface Cluster {
  client: N8nClient;
  workers: Record<string, RunningN8n>;
  /** Starts another main instance on the same database. */
  startSecondMain(env: Record<string, string>): Promise<RunningN8n>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, Redis, a main instance and the workers.
 *
 * @param env added to the environment of every n8n process
 */
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
      // Expressions read the name of the worker from the environment.
      env: { ...shared, N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false', WORKER_NAME: name, ...more },
    });
    running.push(n8n);
    return n8n;
  }

  // The main instance creates the database.
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
