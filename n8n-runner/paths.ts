import { join } from 'node:path';

export const repositoryFolder: string = join(import.meta.dirname, '..');

/** The folder for logs and temporary data; ignored by git. */
export const cacheFolder: string = join(repositoryFolder, '.cache');
