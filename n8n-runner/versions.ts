import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { runnerFolder } from './paths.ts';

/** An n8n that can be installed, and its folder. */
export interface N8nVersion {
  version: string;
  folder: string;
}

const manifest = z.object({ dependencies: z.object({ n8n: z.string() }) });

/** All versions that have a folder here, oldest first. */
export function n8nVersions(): N8nVersion[] {
  return globSync(['package.json', 'versions/*/package.json'], { cwd: runnerFolder })
    .map((path) => join(runnerFolder, path))
    .map((path) => ({
      folder: dirname(path),
      version: manifest.parse(JSON.parse(readFileSync(path, 'utf8'))).dependencies.n8n,
    }))
    .sort((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }));
}
