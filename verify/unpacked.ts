import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

import type { ICredentialType, INodeType } from 'n8n-workflow';

import { packPackage, unpack } from '../n8n-runner/communityPackage.ts';
import { repositoryFolder } from '../n8n-runner/paths.ts';
import { type Manifest, readManifest } from './rules/manifest.ts';

/** A class of the package, made. */
export interface Made<T> {
  /** The class's file, relative to the package. */
  file: string;
  made: T;
}

/** The package as users get it, unpacked in a folder with nothing but n8n-workflow in its reach. */
export interface UnpackedPackage {
  folder: string;
  manifest: Manifest;
  readme: string;
  nodes: Array<Made<INodeType>>;
  credentials: Array<Made<ICredentialType>>;
  /** A file beside the given one; undefined if it is not there. */
  readBeside(file: string, path: string): string | undefined;
  remove(): Promise<void>;
}

/** Packs the package, which must have been built, and unpacks it again. */
export async function packAndUnpack(): Promise<UnpackedPackage> {
  const home = await mkdtemp(join(tmpdir(), 'verify-'));
  const modules = join(home, 'node_modules');
  const folder = join(modules, 'n8n-nodes-neetoform');
  const packed = await packPackage();
  await unpack(packed.tarball, folder);
  await packed.remove();
  await symlink(join(repositoryFolder, 'node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'));

  const manifest = readManifest(await readFile(join(folder, 'package.json'), 'utf8'));
  return {
    folder,
    manifest,
    readme: await readFile(join(folder, 'README.md'), 'utf8'),
    nodes: manifest.n8n.nodes.map((file) => make<INodeType>(folder, file)),
    credentials: manifest.n8n.credentials.map((file) => make<ICredentialType>(folder, file)),
    readBeside(file, path) {
      const wanted = resolve(folder, dirname(file), path);
      const isOurs = !relative(folder, wanted).startsWith('..');
      return isOurs && existsSync(wanted) ? readFileSync(wanted, 'utf8') : undefined;
    },
    remove: async () => await rm(home, { recursive: true, force: true }),
  };
}

/** As n8n does: the class has the name of its file. */
function make<T>(folder: string, file: string): Made<T> {
  const require = createRequire(join(folder, 'package.json'));
  const classes = require(join(folder, file)) as Record<string, new () => T>;
  const name = /([^/]+)\.(node|credentials)\.js$/.exec(file)?.[1] ?? '';
  const Class = classes[name];
  if (Class === undefined) throw new Error(`${file} has no class ${name}`);
  return { file, made: new Class() };
}
