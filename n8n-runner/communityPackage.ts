import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { x } from 'tinyexec';
import { z } from 'zod';

import { repositoryFolder } from './paths.ts';
import { runNpm } from './process.ts';

const report = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
]);

/** Packs this package, which must have been built, as `npm publish` would. @returns the tarball, its size in bytes @throws Error when npm fails */
export async function packPackage(folder: string) {
  const npmArguments = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, size, files }] = report.parse(JSON.parse(await runNpm(npmArguments, repositoryFolder)));
  return { tarball: join(folder, filename), files: files.map(({ path }) => path).sort(), size };
}

/** Packs this package, and unpacks it where n8n keeps the community packages that it has installed. */
export async function installPackage(userFolder: string): Promise<void> {
  const { tarball } = await packPackage(userFolder);
  const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-neetoform');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await x('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], { throwOnError: true });
}
