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

/** n8n in queue mode: a main instance, which polls, and two workers, which run the executions. */
export interface Cluster {
  client: N8nClient;
  first: RunningN8n;
  second: RunningN8n;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, Redis, a main instance and the workers. Expressions read the name of a worker from WORKER_NAME.
 *
 * @param env added to the environment of every n8n process
 */
export async function startCluster(env: Record<string, string>): Promise<Cluster> {
  await ensureServers();
  const installation = await ensureN8n({ onProgress: (line) => process.stderr.write(`${line}\n`) });
  const { tarball, remove } = await packPackage();
  const folder = await mkdtemp(join(tmpdir(), 'n8n-cluster-'));
  const servers = await startServers();
  const shared = {
    ...servers.env,
    N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false',
    ...env,
  };
  const launch = async (name: string, command: 'start' | 'worker') =>
    await launchN8n({
      installation,
      userFolder: join(folder, name),
      tarball,
      command,
      env: { ...shared, WORKER_NAME: name },
    });
  // The main instance creates the database.
  const main = await launch('main', 'start');
  const [first, second] = await Promise.all([launch('first', 'worker'), launch('second', 'worker')]);
  await remove();
  const client = new N8nClient(main.url);
  await client.ownerSetup(owner);
  return {
    client,
    first,
    second,
    async stop() {
      await Promise.all([main, first, second].map(async (n8n) => await n8n.stop()));
      await servers.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
