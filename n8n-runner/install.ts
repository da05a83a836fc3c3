import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { LineLog } from './lineLog.ts';
import { ensureInstalled, exists, logReference } from './lockedInstall.ts';
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

/** Installs n8n unless the folder already holds exactly this one; what an interrupted installation left is removed first. */
export async function ensureN8n({
  folder = n8nHostFolder,
  onProgress = () => undefined,
}: InstallOptions = {}): Promise<N8nInstallation> {
  await ensureInstalled({
    folder,
    what: 'n8n',
    size: '2 GB',
    onProgress: (message) => onProgress(message),
    async finish({ log, during }) {
      onProgress('Compiling the database module (SQLite)');
      const nodedir = await nodeHeadersFolder();
      const compiled = await during(
        runNpm(['rebuild', 'sqlite3'], { cwd: folder, log, env: nodedir ? { npm_config_nodedir: nodedir } : {} }),
        () => 'compiling',
      );
      if (!compiled || !(await sqliteLoads(folder, log))) throw new Error(compileProblem(log));
    },
  });
  const home = join(folder, 'node_modules', 'n8n');
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string };
  return { version: manifest.version, script: join(home, 'bin', 'n8n') };
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
  const check = await startGroup(process.execPath, {
    args: ['-e', script],
    cwd: folder,
    env: process.env,
    onLine: (line) => log.add(line),
  });
  return (await check.exited).code === 0;
}

function compileProblem(log: LineLog): string {
  return `n8n was downloaded, but its database module could not be compiled. That needs a C++ compiler, make and Python 3. Install them and start again.\n\n${logReference(log)}`;
}
