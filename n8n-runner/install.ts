/** Installs what is too large for the development dependencies, or needs overrides, which a community package must not have. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { x } from 'tinyexec';

import { cacheFolder } from './paths.ts';
import { runNpm } from './process.ts';

interface Installation {
  name: string;
  megabytes: number;
  dependencies: Record<string, string>;
  overrides: Record<string, string>;
  /** A package of which a part is compiled for this Node.js. */
  compiled?: string;
  /** A script in this folder that gets the folder of the packages, and fails when one is missing. */
  check?: string;
}

export interface N8nVersion {
  n8n: string;
  /** What to take instead of versions that npm's registry does not have. */
  overrides: Record<string, string>;
}

const forN8n2 = {
  '@langchain/langgraph': '1.4.18',
  '@langchain/langgraph-sdk': '1.9.25',
  '@langchain/protocol': '0.0.16',
  'msgpackr-extract': '3.0.4',
};

const newestVersion: N8nVersion = { n8n: '2.41.1', overrides: { linkedom: '0.18.12', ...forN8n2 } };

/** The versions of n8n in which the package is tried, oldest first. */
export const versions: N8nVersion[] = [
  {
    n8n: '1.123.81',
    overrides: {
      xlsx: '0.18.5',
      '@langchain/langgraph': '1.0.2',
      '@langchain/langgraph-checkpoint': '1.0.0',
      'msgpackr-extract': '3.0.4',
    },
  },
  { n8n: '2.30.8', overrides: { xlsx: '0.18.5', linkedom: '0.18.12', ...forN8n2 } },
  newestVersion,
];

/** npm chooses only versions from before this day: without a lockfile, an installation is the same every time. */
const PUBLISHED_BEFORE = '2026-11-21';
const npmOptions = ['ignore-scripts', 'no-package-lock', 'no-audit', 'no-fund', 'prefer-offline'];

/**
 * Installs packages into a folder of their own, unless they are there, and returns the folder.
 * @throws Error that says what this computer lacks, before anything is downloaded; Error with the end of the output when npm or the check fails
 */
export async function ensureInstalled({ name, megabytes, compiled, check, ...packages }: Installation) {
  const folder = join(cacheFolder, 'installed', name);
  const stampFile = join(folder, 'installed.sha256');
  const manifest = JSON.stringify({ private: true, ...packages });
  const stamp = createHash('sha256')
    .update([manifest, PUBLISHED_BEFORE, ...npmOptions, process.version].join(' '))
    .digest('hex');
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return folder;
  if (compiled !== undefined) requireCompiler();
  await requireSpace(megabytes);
  const what = Object.entries(packages.dependencies).map((each) => each.join(' '));
  report(`Installing ${what.join(' and ')} (${megabytes} MB), only the first time`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  await download(folder, megabytes);
  if (compiled !== undefined) await compile(compiled, folder);
  if (check !== undefined) await runCheck(check, folder);
  await writeFile(stampFile, stamp);
  return folder;
}

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Lets npm install what the folder's package.json names, and reports every ten seconds how far it is. */
async function download(folder: string, megabytes: number): Promise<void> {
  const finished = new AbortController();
  const reports = reportProgress(folder, megabytes, finished.signal);
  try {
    await runNpm(['install', `--before=${PUBLISHED_BEFORE}`, ...npmOptions.map((name) => `--${name}`)], folder);
  } finally {
    finished.abort();
    await reports;
  }
}

async function reportProgress(folder: string, expected: number, finished: AbortSignal): Promise<void> {
  const started = performance.now();
  while (await sleep(10_000, true, { signal: finished }).catch(() => false)) {
    const { stdout } = await x('du', ['-sm', folder]);
    const seconds = Math.round((performance.now() - started) / 1_000);
    report(`  ${describeProgress(Number.parseInt(stdout, 10) || 0, expected)}, after ${seconds} s`);
  }
}

/** npm unpacks nothing before it has chosen all versions, which takes minutes for n8n. */
export function describeProgress(megabytes: number, expected: number): string {
  return megabytes <= 1 ? 'npm is choosing the versions of all packages' : `${megabytes} of about ${expected} MB`;
}

function requireCompiler(): void {
  const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  const missing = ['c++', 'make', 'python3'].filter((program) => !isThere(program));
  if (missing.length === 0) return;
  throw new Error(`${missing.join(', ')} cannot be found. Install a C++ compiler, make and Python 3, and start again.`);
}

async function requireSpace(megabytes: number): Promise<void> {
  await mkdir(cacheFolder, { recursive: true });
  const { bavail, bsize } = await statfs(cacheFolder);
  const free = Math.floor((bavail * bsize) / 1_000_000);
  if (free >= megabytes) return;
  throw new Error(
    `${cacheFolder} needs ${megabytes} MB of disk space, but only ${free} MB are free. Delete other files there.`,
  );
}

async function runCheck(script: string, folder: string): Promise<void> {
  report('  Checking that nothing is missing');
  const args = [join(import.meta.dirname, script), join(folder, 'node_modules')];
  const { stdout, stderr, exitCode } = await x(process.execPath, args);
  if (exitCode !== 0) throw new Error(`${script} failed:\n\n${`${stdout}\n${stderr}`.slice(-3_000)}`);
}

async function compile(name: string, folder: string): Promise<void> {
  report(`  Compiling ${name}`);
  // The headers that come with this Node.js, if there are any. Without them the compiler downloads them.
  const prefix = dirname(dirname(process.execPath));
  const nodedir = [prefix, join(prefix, 'node_modules', `node-${process.platform}-${process.arch}`)].find((candidate) =>
    existsSync(join(candidate, 'include', 'node', 'node_api.h')),
  );
  await runNpm(['rebuild', '--ignore-scripts=false', name], folder, { npm_config_nodedir: nodedir });
}

/** Installs n8n unless it is there, and returns its version, the folder of its packages, and the script that Node.js runs. */
export async function ensureN8n({ n8n, overrides } = newestVersion) {
  const folder = await ensureInstalled({
    name: `n8n-${n8n}`,
    megabytes: 3_000,
    dependencies: { n8n },
    overrides,
    compiled: 'sqlite3',
    check: 'loadNodes.ts',
  });
  const modules = join(folder, 'node_modules');
  return { version: n8n, modules, script: join(modules, 'n8n', 'bin', 'n8n') };
}
