import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';

import { type ProcessGroup, exitWithParent, startGroup } from '../../../n8n-runner/processGroup.ts';

/** PostgreSQL and Redis of this test alone: on the loopback, with data in a temporary folder. */
export interface Servers {
  /** What tells n8n of them. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
const postgresFolder = '/usr/lib/postgresql';

/** Installs what is missing with Debian's package manager, when allowed to. */
export async function ensureServers(): Promise<void> {
  if (existsSync(postgresFolder) && existsSync('/usr/bin/redis-server')) return;
  if (!isRoot || !existsSync('/usr/bin/apt-get'))
    throw new Error('This test needs PostgreSQL and Redis: on Debian, apt-get install postgresql redis-server');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The packages would start servers of their own.
  const policy = { ...env, RUNLEVEL: '1' };
  await runToEnd('apt-get', ['update'], env);
  await runToEnd('apt-get', ['install', '-y', '--no-install-recommends', 'postgresql', 'redis-server'], policy);
}

export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
  await chmod(folder, 0o755);
  const postgres = await startPostgres(join(folder, 'postgres'));
  const redis = await startRedis(join(folder, 'redis'));
  return {
    env: {
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: '127.0.0.1',
      DB_POSTGRESDB_PORT: String(postgres.port),
      DB_POSTGRESDB_USER: 'postgres',
      DB_POSTGRESDB_DATABASE: 'postgres',
      EXECUTIONS_MODE: 'queue',
      QUEUE_BULL_REDIS_HOST: '127.0.0.1',
      QUEUE_BULL_REDIS_PORT: String(redis.port),
    },
    async stop() {
      await postgres.stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Server {
  port: number;
  stop(): Promise<void>;
}

async function startPostgres(data: string): Promise<Server> {
  const [version] = readdirSync(postgresFolder).sort((one, other) => Number(other) - Number(one));
  const program = (name: string) => join(postgresFolder, version ?? '', 'bin', name);
  await mkdir(data);
  // PostgreSQL refuses to run as root.
  const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];
  if (isRoot) await runToEnd('chown', ['postgres', data]);
  await runToEnd(
    ...command([
      ...as,
      program('initdb'),
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale',
      'C',
    ]),
  );
  const port = await getPort({ host: '127.0.0.1' });
  const server = await serve(
    [
      ...as,
      program('postgres'),
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      '',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=200',
    ],
    data,
    /ready to accept connections/,
  );
  return {
    port,
    async stop() {
      await runToEnd(...command([...as, program('pg_ctl'), 'stop', '-D', data, '-m', 'fast']));
      await server.exited;
    },
  };
}

async function startRedis(data: string): Promise<Server> {
  await mkdir(data);
  const port = await getPort({ host: '127.0.0.1' });
  const server = await serve(
    ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--dir', data, '--save', ''],
    data,
    /Ready to accept connections/,
  );
  return {
    port,
    async stop() {
      server.kill('SIGTERM');
      await server.exited;
    },
  };
}

/** A program that ends with this process, however that ends. */
async function serve(words: string[], cwd: string, isReady: RegExp): Promise<ProcessGroup> {
  const lines: string[] = [];
  const ready = new AbortController();
  const keeper = `const [program, ...args] = process.argv.slice(1); require('node:child_process').spawn(program, args, { stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1)); process.on('SIGTERM', () => {});`;
  const group = await startGroup(process.execPath, {
    args: [exitWithParent, '-e', keeper, ...words],
    cwd,
    env: process.env,
    onLine(line) {
      lines.push(line);
      if (isReady.test(line)) ready.abort();
    },
  });
  const ended = group.exited.then(() => {
    throw new Error(`${words.join(' ')} has ended:\n${lines.join('\n')}`);
  });
  if (!ready.signal.aborted) await Promise.race([once(ready.signal, 'abort'), ended]);
  return group;
}

async function runToEnd(program: string, args: string[], env = process.env): Promise<void> {
  const lines: string[] = [];
  const { exited } = await startGroup(program, { args, cwd: tmpdir(), env, onLine: (line) => lines.push(line) });
  const { code } = await exited;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${lines.slice(-20).join('\n')}`);
}

function command([program = '', ...args]: string[]): [string, string[]] {
  return [program, args];
}
