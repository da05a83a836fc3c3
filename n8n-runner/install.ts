import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { type LineLog, openLineLog } from './lineLog.ts';
import { runNpm } from './npm.ts';
import { runnerFolder } from './paths.ts';
import { startGroup } from './processGroup.ts';

/** A folder to install, according to its package.json and package-lock.json. */
export interface Installation {
  folder: string;
  /** The name of what is installed, for messages. */
  name: string;
  /** The disk space it takes, for messages. */
  size: string;
  /** Receives progress messages. */
  onProgress(message: string): void;
  /** Runs after npm has fetched the packages. */
  finish?(log: LineLog): Promise<void>;
}

/** An installed n8n. */
export interface N8nInstallation {
  version: string;
  /** The script that Node.js runs as n8n's command line. */
  script: string;
}

export interface InstallOptions {
  /** The folder to install; by default the one of this file. */
  folder?: string;
  /** Receives progress messages. */
  onProgress?(message: string): void;
}

const staleLockMs = 30_000;
const progressEveryMs = 5_000;
const npmArguments = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline'];
const npmRetries = ['--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=10000'];

/**
 * Installs the folder unless it is up to date. Processes that install the same folder wait for each other.
 *
 * @throws Error with the end of the log when the installation fails; the next call starts again
 */
export async function ensureInstalled(installation: Installation): Promise<void> {
  const { folder, name, onProgress } = installation;
  const lock = join(folder, '.cache', 'install.lock');
  const stampFile = join(folder, 'node_modules', '.installed');
  await mkdir(dirname(lock), { recursive: true });
  for (let waited = false; !(await takeLock(lock)); waited = true) {
    if (!waited) onProgress(`Another process is installing ${name}; waiting for it (if there is none, delete ${lock})`);
    await sleep(1_000);
  }
  const keepFresh = setInterval(
    () => void utimes(lock, new Date(), new Date()).catch(() => undefined),
    staleLockMs / 6,
  );
  try {
    const stamp = await stampOf(folder);
    if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return;
    await install(installation);
    await writeFile(stampFile, stamp);
  } finally {
    clearInterval(keepFresh);
    await rm(lock, { recursive: true, force: true });
  }
}

/** Creates a folder that only one process can create. One that nobody has kept fresh was left by a process that was killed. */
async function takeLock(lock: string): Promise<boolean> {
  const changed = await stat(lock).catch(() => undefined);
  if (changed && Date.now() - changed.mtimeMs > staleLockMs) await rm(lock, { recursive: true, force: true });
  // With `recursive`, mkdir returns undefined when there is such a folder; any other failure is an error.
  return (await mkdir(lock, { recursive: true })) !== undefined;
}

/** Installs n8n unless the folder already holds the version that its lockfile names. */
export async function ensureN8n({
  folder = runnerFolder,
  onProgress = () => undefined,
}: InstallOptions = {}): Promise<N8nInstallation> {
  await ensureInstalled({
    folder,
    name: 'n8n',
    size: '2 GB',
    onProgress: (message) => onProgress(message),
    async finish(log) {
      onProgress('Compiling the database module (SQLite)');
      const nodedir = nodeHeadersFolder();
      const env = nodedir === undefined ? {} : { npm_config_nodedir: nodedir };
      if (!(await runNpm(['rebuild', 'sqlite3'], { cwd: folder, log, env })) || !(await sqliteLoads(folder, log)))
        throw new Error(
          `n8n's database module could not be compiled. Install a C++ compiler, make and Python 3, and start again.\n\n${endOf(log)}`,
        );
    },
  });
  const packageFolder = join(folder, 'node_modules', 'n8n');
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  return { version: z.object({ version: z.string() }).parse(manifest).version, script: join(packageFolder, 'bin/n8n') };
}

async function install({ folder, name, size, onProgress, finish }: Installation): Promise<void> {
  const log = openLineLog(join(folder, '.cache', 'install.log'));
  const modules = join(folder, 'node_modules');
  if (existsSync(modules)) {
    onProgress(`Removing an outdated or incomplete installation of ${name}`);
    await rm(modules, { recursive: true, force: true });
  }

  const packages = await lockedPackages(folder);
  const started = Date.now();
  onProgress(`Installing ${name}: ${packages.length} packages, about ${size}, only the first time`);
  const timer = setInterval(() => {
    const present = packages.filter((path) => existsSync(join(folder, path, 'package.json'))).length;
    onProgress(`  ${secondsSince(started)}: ${present} of ${packages.length} packages`);
  }, progressEveryMs);
  try {
    if (!(await runNpm([...npmArguments, ...npmRetries], { cwd: folder, log }))) throw new Error(failureOf(name, log));
    await finish?.(log);
  } finally {
    clearInterval(timer);
  }
  onProgress(`${name} is installed (${secondsSince(started)})`);
}

/** What the installation depends on: the manifest, the lockfile and the version of Node.js. */
async function stampOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(await readFile(join(folder, name)));
  return hash.update(process.version).digest('hex');
}

async function lockedPackages(folder: string): Promise<string[]> {
  const shape = z.object({ packages: z.record(z.object({ optional: z.boolean().optional() })) });
  const { packages } = shape.parse(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')));
  return Object.keys(packages).filter((path) => path !== '' && packages[path]?.optional !== true);
}

function failureOf(name: string, log: LineLog): string {
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/.test(log.tail(100));
  const reason = isOffline
    ? 'npm did not reach its registry. Check the network, or the registry and proxy settings of npm, and start again'
    : 'npm failed. Start again to retry from the beginning';
  return `${name} could not be installed: ${reason}.\n\n${endOf(log)}`;
}

function endOf(log: LineLog): string {
  return `${log.tail(15)}\n\nThe complete log: ${log.file}`;
}

/** The headers that come with this Node.js, if there are any. Without them the compiler downloads them. */
function nodeHeadersFolder(): string | undefined {
  const prefix = dirname(dirname(process.execPath));
  const candidates = [prefix, join(prefix, 'node_modules', `node-${process.platform}-${process.arch}`)];
  return candidates.find((folder) => existsSync(join(folder, 'include', 'node', 'node_api.h')));
}

async function sqliteLoads(folder: string, log: LineLog): Promise<boolean> {
  const script = `new (require('sqlite3').Database)(':memory:', (error) => process.exit(error ? 1 : 0))`;
  const check = await startGroup(process.execPath, {
    args: ['-e', script],
    cwd: folder,
    env: process.env,
    onLine: (line) => log.add(line),
  });
  return (await check.exited).code === 0;
}

function secondsSince(started: number): string {
  return `${Math.round((Date.now() - started) / 1000)} s`;
}
