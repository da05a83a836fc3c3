import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '../../n8n-runner/paths.ts';

/** The path on this computer of a file of the repository. */
export const pathTo = (file: string): string => join(repositoryFolder, file);

/** The text of a file of the repository. */
export const readText = (file: string): string => readFileSync(pathTo(file), 'utf8');

/** The files of the repository that match one of the patterns. */
export const findFiles = (...patterns: string[]): string[] => globSync(patterns, { cwd: repositoryFolder });
