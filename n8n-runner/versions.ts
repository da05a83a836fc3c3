import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { n8nHostFolder } from './paths.ts';

/** An n8n that can be installed, and the folder it is installed in. */
export interface N8nVersion {
  version: string;
  folder: string;
}

const manifest = z.object({ dependencies: z.object({ n8n: z.string() }) });

/** Every n8n that has a folder here, oldest first. */
export function n8nVersions(): N8nVersion[] {
  const versions = join(n8nHostFolder, 'versions');
  return [n8nHostFolder, ...readdirSync(versions).map((name) => join(versions, name))]
    .map((folder) => ({
      folder,
      version: manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).dependencies.n8n,
    }))
    .sort((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }));
}
