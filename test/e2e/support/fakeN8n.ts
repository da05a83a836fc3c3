import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder to install from, whose n8n is a few bytes: what installing does can be seen in seconds. */
export interface FakeN8n {
  folder: string;
  remove(): Promise<void>;
}

export interface FakeOptions {
  /** Asks for a package that only a registry has. */
  fromRegistry?: boolean;
  /** The database module refuses to be loaded. */
  brokenDatabase?: boolean;
}

/** Writes a package.json and a lockfile like those of n8n-host, with local packages in them. */
export async function fakeN8n({ fromRegistry, brokenDatabase }: FakeOptions = {}): Promise<FakeN8n> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-n8n-'));
  const database = brokenDatabase ? 'throw new Error("wrong ABI")' : 'exports.Database = class { constructor(_, done) { setImmediate(done); } };';
  await writePackage(join(folder, 'source-n8n'), { name: 'n8n', version: '9.9.9' }, '');
  await writePackage(join(folder, 'source-sqlite3'), { name: 'sqlite3', version: '5.0.0' }, database);
  const dependencies = { n8n: 'file:source-n8n', sqlite3: 'file:source-sqlite3' };
  await writePackage(folder, { name: 'fake-host', version: '1.0.0', dependencies }, '');
  execFileSync('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder, stdio: 'ignore' });
  if (fromRegistry) await addUnreachable(folder);
  return { folder, remove: async () => await rm(folder, { recursive: true, force: true }) };
}

async function writePackage(folder: string, manifest: object, script: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.js'), script);
}

/** A package that no npm cache has, at an address where nothing listens. */
async function addUnreachable(folder: string): Promise<void> {
  const name = 'only-in-the-registry';
  const dependencies = { n8n: 'file:source-n8n', sqlite3: 'file:source-sqlite3', [name]: '1.0.0' };
  const packages = {
    '': { name: 'fake-host', version: '1.0.0', dependencies },
    'node_modules/n8n': { resolved: 'source-n8n', link: true },
    'node_modules/sqlite3': { resolved: 'source-sqlite3', link: true },
    [`node_modules/${name}`]: { version: '1.0.0', resolved: `http://127.0.0.1:9/${name}-1.0.0.tgz` },
    'source-n8n': { name: 'n8n', version: '9.9.9' },
    'source-sqlite3': { name: 'sqlite3', version: '5.0.0' },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'fake-host', version: '1.0.0', dependencies }));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ name: 'fake-host', version: '1.0.0', lockfileVersion: 3, requires: true, packages }));
}
