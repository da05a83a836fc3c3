/** Installs what is too large for the development dependencies, or needs overrides, which a community package must not have. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { x } from 'tinyexec';

import { cacheFolder } from './paths.ts';
import { runNpm } from './process.ts';
import { type N8nVersion, newestVersion } from './versions.ts';

export interface Installation {
  /** The name of the folder. */
  name: string;
  /** What is installed, and the disk space it takes, for messages. */
  what: string;
  dependencies: Record<string, string>;
  overrides: Record<string, string>;
  /** Runs after npm has fetched the packages. */
  finish?(folder: string): Promise<void>;
}

/** An installed n8n. */
export interface N8nInstallation {
  version: string;
  /** The folder with n8n and everything it depends on. */
  modules: string;
  /** The script that Node.js runs as n8n's command line. */
  script: string;
}

/** npm chooses only versions from before this day, so that an installation without a lockfile is the same every time. */
const PUBLISHED_BEFORE = '2026-11-21';
const npmOptions = '--ignore-scripts --legacy-peer-deps --no-package-lock --no-audit --no-fund --prefer-offline'.split(
  ' ',
);
const progressEveryMs = 10_000;

/**
 * Installs packages into a folder of their own, unless they are there. Progress goes to the standard error.
 *
 * @returns the folder
 * @throws Error with the end of npm's output when the installation fails; the next call starts again
 */
export async function ensureInstalled({ name, what, finish, ...packages }: Installation): Promise<string> {
  const folder = join(cacheFolder, 'installed', name);
  const stampFile = join(folder, 'installed.sha256');
  const manifest = JSON.stringify({ private: true, ...packages });
  const stamp = createHash('sha256').update(`${manifest} ${PUBLISHED_BEFORE} ${process.version}`).digest('hex');
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return folder;
  const report = (message: string) => process.stderr.write(`${message}\n`);
  report(`Installing ${what}, only the first time. This takes a few minutes`);
  const started = Date.now();
  const timer = setInterval(() => report(`  ${Math.round((Date.now() - started) / 1000)} s`), progressEveryMs);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), manifest);
    await runNpm(['install', `--before=${PUBLISHED_BEFORE}`, ...npmOptions], folder);
    await finish?.(folder);
    await writeFile(stampFile, stamp);
    return folder;
  } finally {
    clearInterval(timer);
  }
}

/** Installs n8n unless it is there. */
export async function ensureN8n({ n8n, overrides }: N8nVersion = newestVersion): Promise<N8nInstallation> {
  const folder = await ensureInstalled({
    name: `n8n-${n8n}`,
    what: `n8n ${n8n} (2 GB)`,
    dependencies: { n8n },
    overrides,
    finish: compileDatabaseModule,
  });
  const modules = join(folder, 'node_modules');
  return { version: n8n, modules, script: join(modules, 'n8n', 'bin', 'n8n') };
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
