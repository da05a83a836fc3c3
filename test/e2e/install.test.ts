import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

import getPort from 'get-port';

import { ensureN8n } from '../../n8n-runner/install.ts';
import { type FakeN8n, type FakeOptions, fakeN8n, fetchedPackage, tarballOf } from './support/fakeN8n.ts';

describe('installing n8n', () => {
  let fake: FakeN8n | undefined;
  afterEach(async () => await fake?.remove());

  async function folderOf(options?: FakeOptions): Promise<string> {
    fake = await fakeN8n(options);
    return fake.folder;
  }

  async function install(folder: string): Promise<string> {
    const said: string[] = [];
    await ensureN8n({ folder, onProgress: (line) => said.push(line) });
    return said.join('\n');
  }

  it('is done once, with progress, and reused after that', async () => {
    const folder = await folderOf();
    expect(await install(folder)).toMatch(/Installing n8n.*\n.*Compiling[^]*n8n is installed/);
    expect(await install(folder)).toBe('');
    expect(await ensureN8n({ folder })).toEqual({
      version: '9.9.9',
      script: join(folder, 'node_modules', 'n8n', 'bin', 'n8n'),
    });
  });

  it('starts again when an earlier one was interrupted', async () => {
    const folder = await folderOf();
    await mkdir(join(folder, 'node_modules', 'half-finished'), { recursive: true });
    expect(await install(folder)).toMatch(/Removing an outdated or incomplete installation/);
    expect(existsSync(join(folder, 'node_modules', 'half-finished'))).toBe(false);
    expect(await install(folder)).toBe('');
  });

  it('is done again when another n8n is asked for', async () => {
    const folder = await folderOf();
    await install(folder);
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({
        name: 'fake-host',
        version: '1.0.1',
        dependencies: { n8n: 'file:source-n8n', sqlite3: 'file:source-sqlite3' },
      }),
    );
    expect(await install(folder)).toMatch(/n8n is installed/);
  });

  it('is done by one process while a second one waits', async () => {
    const folder = await folderOf();
    const said = await Promise.all([install(folder), install(folder)]);
    expect(said.filter((text) => text.includes('n8n is installed'))).toHaveLength(1);
    expect(said.filter((text) => /^Another process is installing n8n.*$/.test(text))).toHaveLength(1);
  });

  it('takes over from a process that was killed in the middle', async () => {
    const folder = await folderOf();
    const lock = join(folder, '.cache', 'install.lock');
    await mkdir(lock, { recursive: true });
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    expect(await install(folder)).toMatch(/n8n is installed/);
    expect(existsSync(lock)).toBe(false);
  });

  it('says that the network is missing, and recovers once it is back', async () => {
    const port = await getPort({ host: '127.0.0.1' });
    const folder = await folderOf({ registry: `http://127.0.0.1:${port}` });
    await expect(install(folder)).rejects.toThrow(/npm did not reach its registry.*start again/);

    const tarball = await tarballOf(fetchedPackage);
    const registry = createServer((_request, response) => response.end(tarball)).listen(port, '127.0.0.1');
    try {
      expect(await install(folder)).toMatch(/n8n is installed/);
    } finally {
      registry.close();
    }
  });

  it('says what a database module that does not load needs, and is not taken for finished', async () => {
    const folder = await folderOf({ brokenDatabase: true });
    await expect(install(folder)).rejects.toThrow(/C\+\+ compiler, make and Python 3/);
    await expect(install(folder)).rejects.toThrow(/C\+\+ compiler, make and Python 3/);
  });
});
