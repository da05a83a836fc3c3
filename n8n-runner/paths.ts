import { join } from 'node:path';

/** The folder of this repository. */
export const repositoryFolder: string = join(import.meta.dirname, '..');

/** The folder that n8n is installed in, with a package.json and a lockfile of its own. */
export const n8nHostFolder: string = import.meta.dirname;

/** Where logs, locks and throw-away user folders go; ignored by git. */
export const cacheFolder: string = join(repositoryFolder, '.cache');
