import { existsSync, globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';
import { x } from 'tinyexec';

import { type ProcessGroup, startGroup } from '../../../n8n-runner/process.ts';
import { until } from '../../e2e/support/instance.ts';

/** PostgreSQL and Redis for one test: on the loopback, with their data in a temporary folder. */
export interface Servers {
  /** The variables with which n8n finds them. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
// PostgreSQL does not run as root.
const asPostgresUser = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];

/**
 * Installs PostgreSQL and Redis with Debian's package manager if they are missing.
 *
 * @throws Error when they are missing and cannot be installed
 */
export async function ensureServers(): Promise<void> {
  if (postgresPrograms() !== undefined && existsSync('/usr/bin/redis-server')) return;
  if (!isRoot || !existsSync('/usr/bin/apt-get'))
    throw new Error('This test needs PostgreSQL and Redis: on Debian, apt-get install postgresql redis-server');
  // RUNLEVEL keeps the packages from starting their own servers.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await run(['apt-get', 'update'], env);
  await run(['apt-get', 'install', '-y', '--no-install-recommends', 'postgresql', 'redis-server'], env);
}

/** Starts both, with an empty database. */
export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
  await chmod(folder, 0o755);
  const postgresPort = String(await getPort({ host: '127.0.0.1' }));
  const redisPort = String(await getPort({ host: '127.0.0.1' }));

  const data = join(folder, 'postgres');
  const program = (name: string) => join(postgresPrograms() ?? '', name);
  await mkdir(data);
  if (isRoot) await run(['chown', 'postgres', data]);
  const initialize = '-U postgres -A trust --no-sync -E UTF8 --locale C'.split(' ');
  await run([...asPostgresUser, program('initdb'), '-D', data, ...initialize]);
  const settings = ['-p', postgresPort, '-k', '', '-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'];
  const servers = [
    await startServer([...asPostgresUser, program('postgres'), '-D', data, ...settings], data),
    await startServer(['redis-server', '--port', redisPort, '--bind', '127.0.0.1', '--save', ''], folder),
  ];
  return {
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

/** The folder with the programs of the newest PostgreSQL that is installed. */
function postgresPrograms(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin')
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1);
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
async function run([command = '', ...args]: string[], env: Record<string, string> = {}): Promise<void> {
  await x(command, args, { nodePath: false, throwOnError: true, nodeOptions: { cwd: tmpdir(), env } });
}
