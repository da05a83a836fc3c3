import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import getPort from 'get-port';
import { x } from 'tinyexec';

import type { WorkspaceSeed } from '../../../../emulator/index.ts';
import { launchN8n } from '../../../../n8n-runner/launch.ts';
import { type ProcessGroup, startGroup, untilReady } from '../../../../n8n-runner/process.ts';
import { startTestInstance } from '../../e2e/support/instance.ts';
import { ensureProgram } from '../../e2e/support/programs.ts';

/** n8n in queue mode: a main instance, which polls, and two workers, which run the executions. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

const host = '127.0.0.1';
// PostgreSQL does not run as root.
const asPostgresUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];

/** Starts PostgreSQL, Redis, a main instance and the workers. @param env added to the environment of every n8n process */
export async function startCluster(seed: WorkspaceSeed, env: Record<string, string>) {
  const redis = ensureProgram('redis-server', 'command -v redis-server');
  const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
  // PostgreSQL's user creates a folder in it.
  await chmod(folder, 0o777);
  const postgresPort = String(await getPort({ host }));
  const redisPort = String(await getPort({ host }));
  const servers = [
    await startPostgres(folder, postgresPort),
    await startServer([redis, '--port', redisPort, '--bind', host, '--save', ''], folder),
  ];
  const shared = {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: host,
    DB_POSTGRESDB_PORT: postgresPort,
    DB_POSTGRESDB_USER: 'postgres',
    DB_POSTGRESDB_DATABASE: 'postgres',
    EXECUTIONS_MODE: 'queue',
    QUEUE_BULL_REDIS_HOST: host,
    QUEUE_BULL_REDIS_PORT: redisPort,
    N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
    ...env,
  };
  // The main instance creates the database.
  const main = await startTestInstance({ seed, env: shared });
  const launchWorker = async () => await launchN8n({ command: 'worker', env: shared });
  const [first, second] = await Promise.all([launchWorker(), launchWorker()]);
  return {
    ...main,
    first,
    second,
    async stop(): Promise<void> {
      await Promise.all([main.stop(), first.remove(), second.remove()]);
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(servers.map(async ({ exited }) => await exited));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the newest PostgreSQL that is installed, with an empty database. */
async function startPostgres(folder: string, port: string): Promise<ProcessGroup> {
  const postgres = ensureProgram('postgresql', 'ls -d /usr/lib/postgresql/*/bin/postgres | sort -V | tail -n 1');
  const [command, ...args] = [...asPostgresUser, join(dirname(postgres), 'initdb')];
  const data = join(folder, 'postgres');
  args.push('-D', data, ...'-U postgres -A trust --no-sync -E UTF8 --locale C'.split(' '));
  await x(command, args, { nodePath: false, throwOnError: true, nodeOptions: { cwd: folder } });
  const settings = ['-p', port, '-k', '', '-c', `listen_addresses=${host}`, '-c', 'max_connections=200'];
  return await startServer([...asPostgresUser, postgres, '-D', data, ...settings], folder);
}

/** Starts a server on the loopback and waits until its output says that it is ready. */
async function startServer([command = '', ...args]: string[], cwd: string): Promise<ProcessGroup> {
  const logFile = join(cwd, `${basename(command)}.log`);
  const server = await startGroup(command, { args, cwd, env: process.env, logFile });
  await untilReady(command, server, () => /ready to accept connections/i.test(server.output()));
  return server;
}
