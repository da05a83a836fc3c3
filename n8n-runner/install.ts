import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { x } from 'tinyexec';
import { z } from 'zod';

import { runnerFolder } from './paths.ts';
import { runNpm } from './process.ts';

/** A folder to install, according to its package.json and package-lock.json. */
export interface Installation {
  folder: string;
  /** What is installed, and the disk space it takes, for messages. */
  what: string;
  /** Runs after npm has fetched the packages. */
  finish?(): Promise<void>;
}

/** An installed n8n. */
export interface N8nInstallation {
  version: string;
  /** The script that Node.js runs as n8n's command line. */
  script: string;
}

const progressEveryMs = 10_000;
const npmArguments = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline'];

/**
 * Installs the folder unless it is up to date. Its progress goes to the standard error.
 *
 * @throws Error with the end of npm's output when the installation fails; the next call starts again
 */
export async function ensureInstalled({ folder, what, finish }: Installation): Promise<void> {
  const modules = join(folder, 'node_modules');
  const stampFile = join(modules, '.installed');
  const stamp = await stampOf(folder);
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return;
  const report = (message: string) => process.stderr.write(`${message}\n`);
  report(`Installing ${what}, only the first time. This takes a few minutes`);
  const started = Date.now();
  const timer = setInterval(() => report(`  ${Math.round((Date.now() - started) / 1000)} s`), progressEveryMs);
  try {
    await rm(modules, { recursive: true, force: true });
    await runNpm(npmArguments, folder);
    await finish?.();
    await writeFile(stampFile, stamp);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Installs n8n unless the folder already holds the version that its lockfile names.
 *
 * @param folder by default the one of this file
 */
export async function ensureN8n(folder = runnerFolder): Promise<N8nInstallation> {
  await ensureInstalled({ folder, what: 'n8n (2 GB)', finish: async () => await compileDatabaseModule(folder) });
  const packageFolder = join(folder, 'node_modules', 'n8n');
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  return { version: z.object({ version: z.string() }).parse(manifest).version, script: join(packageFolder, 'bin/n8n') };
}

/** What the installation depends on: the manifest, the lockfile and the version of Node.js. */
async function stampOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(await readFile(join(folder, name)));
  return hash.update(process.version).digest('hex');
}

async function compileDatabaseModule(folder: string): Promise<void> {
  // The headers that come with this Node.js, if there are any. Without them the compiler downloads them.
  const prefix = dirname(dirname(process.execPath));
  const nodedir = [prefix, join(prefix, 'node_modules', `node-${process.platform}-${process.arch}`)].find((candidate) =>
    existsSync(join(candidate, 'include', 'node', 'node_api.h')),
  );
  const script = `new (require('sqlite3').Database)(':memory:', (error) => process.exit(error ? 1 : 0))`;
  try {
    await runNpm(['rebuild', 'sqlite3'], folder, { npm_config_nodedir: nodedir });
    await x(process.execPath, ['-e', script], { throwOnError: true, nodeOptions: { cwd: folder } });
  } catch (cause) {
    const advice = 'Install a C++ compiler, make and Python 3, and start again.';
    throw new Error(`n8n's database module (SQLite) could not be compiled. ${advice}\n\n${String(cause)}`, { cause });
  }
}
