import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openLineLog } from './lineLog.ts';
import { runNpm } from './npm.ts';
import { cacheFolder, repositoryFolder } from './paths.ts';
import { startGroup } from './processGroup.ts';

/** The tarball that `npm publish` would upload, in a temporary folder of its own. */
export interface PackedPackage {
  tarball: string;
  remove(): Promise<void>;
}

/** Packs this package, which must have been built. */
export async function packPackage(): Promise<PackedPackage> {
  const log = openLineLog(join(cacheFolder, 'pack.log'));
  const folder = await mkdtemp(join(tmpdir(), 'n8n-nodes-neetoform-'));
  const packed = await runNpm(['pack', '--pack-destination', folder], { cwd: repositoryFolder, log });
  if (!packed) throw new Error(`npm pack did not succeed:\n\n${log.tail()}`);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  return { tarball: join(folder, tarball), remove: async () => await rm(folder, { recursive: true, force: true }) };
}

/** Puts a packed package where n8n finds the community packages it has installed itself. */
export async function unpackInto(userFolder: string, tarball: string): Promise<void> {
  await unpack(tarball, join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-neetoform'));
}

/** Unpacks a packed package; the folder holds nothing else afterwards. */
export async function unpack(tarball: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const output: string[] = [];
  const tar = await startGroup('tar', {
    args: ['-xzf', tarball, '-C', folder, '--strip-components=1'],
    cwd: folder,
    env: process.env,
    onLine: (line) => output.push(line),
  });
  if ((await tar.exited).code !== 0) throw new Error(`${tarball} could not be unpacked: ${output.join('\n')}`);
}
