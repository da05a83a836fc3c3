import { createHash } from 'node:crypto';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { withFolderLock } from './folderLock.ts';
import { type LineLog, openLineLog } from './lineLog.ts';
import { runNpm } from './npm.ts';

/** A folder whose package.json and package-lock.json say what to install. */
export interface LockedInstall {
  folder: string;
  /** What is installed, as its user calls it. */
  what: string;
  /** How much room it takes, in words. */
  size: string;
  /** Told, in a line of text, what is going on. */
  onProgress: (message: string) => void;
  /** What is left to do when npm has fetched everything; it may throw. */
  finish?: (step: InstallStep) => Promise<void>;
}

/** What a step of an installation works with. */
export interface InstallStep {
  log: LineLog;
  /** Waits for the work; meanwhile says now and then how long it all has taken. */
  during: <T>(work: Promise<T>, doing: () => Promise<string> | string) => Promise<T>;
}

const progressEveryMs = 5_000;

/** Installs what the folder asks for unless it is there already; what an interrupted installation left is removed first. */
export async function ensureInstalled(install: LockedInstall): Promise<void> {
  const { folder, what, onProgress } = install;
  const modules = join(folder, 'node_modules');
  const lock = join(folder, '.cache', 'install.lock');
  await withFolderLock(
    lock,
    () => onProgress(`Another process is installing ${what}; waiting for it (if there is none, delete ${lock})`),
    async () => {
      const stampFile = join(modules, '.installed');
      const stamp = await wantedStamp(folder);
      if ((await readOptional(stampFile)) === stamp) return;
      await installAfresh(install, modules);
      await writeFile(stampFile, stamp);
    },
  );
}

/** Whether there is such a file or folder. */
export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** The end of a log, and where all of it is. */
export function logReference(log: LineLog): string {
  return `${log.tail(15)}\n\nThe whole log: ${log.file}`;
}

async function installAfresh(
  { folder, what, size, onProgress, finish }: LockedInstall,
  modules: string,
): Promise<void> {
  const log = openLineLog(join(folder, '.cache', 'install.log'));
  const packages = await lockedPackages(folder);
  if (await exists(modules)) {
    onProgress(`Removing a version of ${what} that is out of date or only half installed`);
    await rm(modules, { recursive: true, force: true });
  }

  onProgress(`Installing ${what}: ${packages.length} packages, about ${size}; needed once`);
  const startedAt = Date.now();
  const during: InstallStep['during'] = async (work, doing) => {
    const timer = setInterval(
      () => void Promise.resolve(doing()).then((text) => onProgress(`  ${elapsed(startedAt)}  ${text}`)),
      progressEveryMs,
    );
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  };
  const fetched = await during(
    runNpm(
      [
        'ci',
        '--ignore-scripts',
        '--legacy-peer-deps',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        '--fetch-retry-mintimeout=2000',
        '--fetch-retry-maxtimeout=10000',
      ],
      { cwd: folder, log },
    ),
    async () => `${await countExisting(folder, packages)} of ${packages.length} packages`,
  );
  if (!fetched) throw new Error(downloadProblem(what, size, log));
  await finish?.({ log, during });
  onProgress(`${what} is installed (${elapsed(startedAt)})`);
}

async function wantedStamp(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(await readFile(join(folder, name)));
  return hash.update(process.version).digest('hex');
}

async function lockedPackages(folder: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optional?: boolean }>;
  };
  return Object.keys(lock.packages).filter((path) => path !== '' && !lock.packages[path]?.optional);
}

async function countExisting(folder: string, packages: string[]): Promise<number> {
  const found = await Promise.all(packages.map((path) => exists(join(folder, path, 'package.json'))));
  return found.filter(Boolean).length;
}

function downloadProblem(what: string, size: string, log: LineLog): string {
  const said = log.tail(100);
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/.test(said);
  const full = said.includes('ENOSPC');
  if (full)
    return `${what} could not be installed: the disk is full. It needs about ${size}. Make room and start again.\n\n${logReference(log)}`;
  if (offline)
    return `${what} could not be installed: npm did not reach its registry. Check the network (or npm's registry and proxy settings) and start again.\n\n${logReference(log)}`;
  return `${what} could not be installed: npm gave up. Starting again begins afresh.\n\n${logReference(log)}`;
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

async function readOptional(file: string): Promise<string | undefined> {
  return (await exists(file)) ? await readFile(file, 'utf8') : undefined;
}
