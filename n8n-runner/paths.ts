import { join } from 'node:path';

/** The root of this repository. */
export const repositoryFolder: string = join(import.meta.dirname, '..');

/** The folder for logs and temporary data; ignored by git. */
export const cacheFolder: string = join(repositoryFolder, '.cache');
