import { randomBytes } from 'node:crypto';

import { N8nClient } from '../../../n8n-runner/client.ts';
import { launchN8n } from '../../../n8n-runner/launch.ts';
import { owner } from '../../e2e/support/instance.ts';
import { startServers } from './servers.ts';

/** n8n in queue mode: a main instance, which polls, and two workers, which run the executions. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Starts PostgreSQL, Redis, a main instance and the workers. Expressions read the name of a worker from WORKER_NAME.
 *
 * @param env added to the environment of every n8n process
 */
export async function startCluster(env: Record<string, string>) {
  const servers = await startServers();
  const shared = {
    ...servers.env,
    N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false',
    ...env,
  };
  // The main instance creates the database.
  const main = await launchN8n({ env: shared });
  const launchWorker = async (name: string) =>
    await launchN8n({ command: 'worker', env: { ...shared, WORKER_NAME: name } });
  const [first, second] = await Promise.all([launchWorker('first'), launchWorker('second')]);
  const client = new N8nClient(main.url);
  await client.ownerSetup(owner);
  return {
    client,
    first,
    second,
    async stop(): Promise<void> {
      await Promise.all([main, first, second].map(async (n8n) => await n8n.remove()));
      await servers.stop();
    },
  };
}
