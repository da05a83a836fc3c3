import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder to install from, whose n8n is a few bytes: what installing does can be seen in seconds. */
export interface FakeN8n {
  folder: string;
  remove(): Promise<void>;
}

export interface FakeOptions {
  /** One package has to be fetched from here. */
  registry?: string;
  /** The database module refuses to be loaded. */
  brokenDatabase?: boolean;
}

/** The package that only the registry has. */
export const fetchedPackage = { name: 'only-in-the-registry', version: '1.0.0' };

/** Writes a package.json and a lockfile like those of n8n-runner, with local packages in them. */
export async function fakeN8n({ registry, brokenDatabase }: FakeOptions = {}): Promise<FakeN8n> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-n8n-'));
  const database = brokenDatabase
    ? 'throw new Error("wrong ABI")'
    : 'exports.Database = class { constructor(_, done) { setImmediate(done); } };';
  await writePackage(join(folder, 'source-n8n'), { name: 'n8n', version: '9.9.9' }, '');
  await writePackage(join(folder, 'source-sqlite3'), { name: 'sqlite3', version: '5.0.0' }, database);
  const dependencies = { n8n: 'file:source-n8n', sqlite3: 'file:source-sqlite3' };
  await writePackage(folder, { name: 'fake-host', version: '1.0.0', dependencies }, '');
  execFileSync('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder, stdio: 'ignore' });
  if (registry !== undefined) await addFetched(folder, registry);
  return { folder, remove: async () => await rm(folder, { recursive: true, force: true }) };
}

/** What a registry sends when it is asked for the package. */
export async function tarballOf(manifest: { name: string; version: string }): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-package-'));
  await writePackage(folder, manifest, '');
  execFileSync('npm', ['pack', '--silent'], { cwd: folder });
  const tarball = await readFile(join(folder, `${manifest.name}-${manifest.version}.tgz`));
  await rm(folder, { recursive: true, force: true });
  return tarball;
}

async function writePackage(folder: string, manifest: object, script: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.js'), script);
}

async function addFetched(folder: string, registry: string): Promise<void> {
  const { name, version } = fetchedPackage;
  for (const file of ['package.json', 'package-lock.json']) {
    const content = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
      dependencies?: object;
      packages?: Record<string, object>;
    };
    if (content.dependencies) content.dependencies = { ...content.dependencies, [name]: version };
    if (content.packages) {
      const root: { dependencies?: object } = content.packages[''] ?? {};
      content.packages[''] = { ...root, dependencies: { ...root.dependencies, [name]: version } };
      content.packages[`node_modules/${name}`] = { version, resolved: `${registry}/${name}-${version}.tgz` };
    }
    await writeFile(join(folder, file), JSON.stringify(content));
  }
}
