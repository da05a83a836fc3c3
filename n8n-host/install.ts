import { createHash } from 'node:crypto';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { withFolderLock } from './folderLock.ts';
import { type LineLog, openLineLog } from './lineLog.ts';
import { runNpm } from './npm.ts';
import { n8nHostFolder } from './paths.ts';
import { startGroup } from './processGroup.ts';

/** An n8n that is ready to be launched. */
export interface N8nInstallation {
  version: string;
  /** The script that `node` runs as n8n's command line. */
  script: string;
}

export interface InstallOptions {
  /** A folder with the package.json and package-lock.json to install from; by default this one. */
  folder?: string;
  /** Told, in a line of text, what is going on. */
  onProgress?(message: string): void;
}

const progressEveryMs = 5_000;

/** Installs n8n unless the folder already holds exactly this one; what an interrupted installation left is removed first. */
export async function ensureN8n({ folder = n8nHostFolder, onProgress = () => undefined }: InstallOptions = {}): Promise<N8nInstallation> {
  const modules = join(folder, 'node_modules');
  const lock = join(folder, '.cache', 'install.lock');
  await withFolderLock(
    lock,
    () => onProgress(`Another process is installing n8n; waiting for it (if there is none, delete ${lock})`),
    async () => {
      const stamp = await wantedStamp(folder);
      if ((await readOptional(stampFile(modules))) === stamp) return;
      await install(folder, modules, onProgress);
      await writeFile(stampFile(modules), stamp);
    },
  );
  const manifest: { version: string } = JSON.parse(await readFile(join(modules, 'n8n', 'package.json'), 'utf8'));
  return { version: manifest.version, script: join(modules, 'n8n', 'bin', 'n8n') };
}

async function install(folder: string, modules: string, onProgress: (message: string) => void): Promise<void> {
  const log = openLineLog(join(folder, '.cache', 'install.log'));
  const packages = await lockedPackages(folder);
  if (await exists(modules)) {
    onProgress('Removing an n8n that is out of date or only half installed');
    await rm(modules, { recursive: true, force: true });
  }

  onProgress(`Installing n8n: ${packages.length} packages, about 2 GB; needed once`);
  const startedAt = Date.now();
  const countPackages = async () => `${await countExisting(folder, packages)} of ${packages.length} packages`;
  const fetched = await withProgress(
    runNpm(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=10000'], { cwd: folder, log }),
    async () => onProgress(`  ${elapsed(startedAt)}  ${await countPackages()}`),
  );
  if (!fetched) throw new Error(downloadProblem(log));

  onProgress('Compiling the database module (SQLite)');
  const nodedir = await nodeHeadersFolder();
  const compiled = await withProgress(runNpm(['rebuild', 'sqlite3'], { cwd: folder, log, env: nodedir ? { npm_config_nodedir: nodedir } : {} }), async () =>
    onProgress(`  ${elapsed(startedAt)}  compiling`),
  );
  if (!compiled || !(await sqliteLoads(folder, log))) throw new Error(compileProblem(log));
  onProgress(`n8n is installed (${elapsed(startedAt)})`);
}

const stampFile = (modules: string) => join(modules, '.installed');

async function wantedStamp(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(await readFile(join(folder, name)));
  return hash.update(process.version).digest('hex');
}

async function lockedPackages(folder: string): Promise<string[]> {
  const lock: { packages: Record<string, { optional?: boolean }> } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  return Object.keys(lock.packages).filter((path) => path !== '' && !lock.packages[path]?.optional);
}

async function countExisting(folder: string, packages: string[]): Promise<number> {
  const found = await Promise.all(packages.map((path) => exists(join(folder, path, 'package.json'))));
  return found.filter(Boolean).length;
}

async function withProgress<T>(work: Promise<T>, report: () => Promise<void>): Promise<T> {
  const timer = setInterval(() => void report(), progressEveryMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** The headers that come with this Node: without them the compiler's front end would fetch them from the network. */
async function nodeHeadersFolder(): Promise<string | undefined> {
  const prefix = dirname(dirname(process.execPath));
  const candidates = [prefix, join(prefix, 'node_modules', `node-${process.platform}-${process.arch}`)];
  for (const candidate of candidates) {
    if (await exists(join(candidate, 'include', 'node', 'node_api.h'))) return candidate;
  }
  return undefined;
}

async function sqliteLoads(folder: string, log: LineLog): Promise<boolean> {
  const script = `new (require('sqlite3').Database)(':memory:', (error) => process.exit(error ? 1 : 0))`;
  const check = await startGroup(process.execPath, { args: ['-e', script], cwd: folder, env: process.env, onLine: (line) => log.add(line) });
  return (await check.exited).code === 0;
}

function downloadProblem(log: LineLog): string {
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/.test(log.tail(100));
  const full = /ENOSPC/.test(log.tail(100));
  if (full) return `n8n could not be installed: the disk is full. It needs about 2.5 GB. Make room and start again.\n\n${logReference(log)}`;
  if (offline) return `n8n could not be installed: npm did not reach its registry. Check the network (or npm's registry and proxy settings) and start again.\n\n${logReference(log)}`;
  return `n8n could not be installed: npm gave up. Starting again begins afresh.\n\n${logReference(log)}`;
}

function compileProblem(log: LineLog): string {
  return `n8n was downloaded, but its database module could not be compiled. That needs a C++ compiler, make and Python 3. Install them and start again.\n\n${logReference(log)}`;
}

function logReference(log: LineLog): string {
  return `${log.tail(15)}\n\nThe whole log: ${log.file}`;
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

async function readOptional(file: string): Promise<string | undefined> {
  return (await exists(file)) ? await readFile(file, 'utf8') : undefined;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
