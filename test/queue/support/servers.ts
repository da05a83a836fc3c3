import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import getPort from 'get-port';
import { x } from 'tinyexec';

import { type ProcessGroup, startGroup } from '../../../n8n-runner/process.ts';
import { until } from '../../e2e/support/instance.ts';
import { ensureProgram } from '../../e2e/support/programs.ts';

const isRoot = process.getuid?.() === 0;
// PostgreSQL does not run as root.
const asPostgresUser = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];

/** Starts PostgreSQL with an empty database, and Redis: on the loopback, with their data in a temporary folder. */
export async function startServers() {
  const redis = ensureProgram('redis-server', 'command -v redis-server');
  // The newest version that is installed.
  const postgres = ensureProgram('postgresql', 'ls -d /usr/lib/postgresql/*/bin/postgres | sort -V | tail -n 1');
  const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
  await chmod(folder, 0o755);
  const postgresPort = String(await getPort({ host: '127.0.0.1' }));
  const redisPort = String(await getPort({ host: '127.0.0.1' }));

  const data = join(folder, 'postgres');
  await mkdir(data);
  if (isRoot) await run(['chown', 'postgres', data]);
  const initialize = '-U postgres -A trust --no-sync -E UTF8 --locale C'.split(' ');
  await run([...asPostgresUser, join(dirname(postgres), 'initdb'), '-D', data, ...initialize]);
  const settings = ['-p', postgresPort, '-k', '', '-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'];
  const servers = [
    await startServer([...asPostgresUser, postgres, '-D', data, ...settings], data),
    await startServer([redis, '--port', redisPort, '--bind', '127.0.0.1', '--save', ''], folder),
  ];
  return {
    /** The variables with which n8n finds them. */
    env: {
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: '127.0.0.1',
      DB_POSTGRESDB_PORT: postgresPort,
      DB_POSTGRESDB_USER: 'postgres',
      DB_POSTGRESDB_DATABASE: 'postgres',
      EXECUTIONS_MODE: 'queue',
      QUEUE_BULL_REDIS_HOST: '127.0.0.1',
      QUEUE_BULL_REDIS_PORT: redisPort,
    },
    async stop() {
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(servers.map(async ({ exited }) => await exited));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a server and waits until its output says that it is ready. */
async function startServer([command = '', ...args]: string[], cwd: string): Promise<ProcessGroup> {
  let output = '';
  const onLine = (line: string) => (output += `${line}\n`);
  const server = await startGroup(command, { args, cwd, env: process.env, onLine });
  await until(`${command} is ready`, () => /ready to accept connections/i.test(output) || server.hasEnded());
  if (server.hasEnded()) throw new Error(`${command} has ended:\n${output}`);
  return server;
}

/** Runs a command to its end; throws when it fails. */
async function run([command = '', ...args]: string[]): Promise<void> {
  await x(command, args, { nodePath: false, throwOnError: true, nodeOptions: { cwd: tmpdir() } });
}
