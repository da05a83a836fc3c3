import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { repositoryFolder } from '../../n8n-runner/paths.ts';

/** The path on this computer of a file of the repository. */
export const pathTo = (file: string): string => join(repositoryFolder, file);

/** The text of a file of the repository. */
export const readText = (file: string): string => readFileSync(pathTo(file), 'utf8');

/** The files of the repository that match one of the patterns. */
export const findFiles = (...patterns: string[]): string[] => globSync(patterns, { cwd: repositoryFolder });

/** Compares a file with what is generated; with WRITE_GENERATED set, writes it first. */
export function expectGenerated(path: string, text: string): void {
  if (process.env['WRITE_GENERATED'] !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const written = existsSync(path) ? readFileSync(path, 'utf8') : 'no file';
  try {
    expect(written).toBe(text);
  } catch (error) {
    const [file, test] = [path, expect.getState().testPath ?? ''].map((each) => relative(repositoryFolder, each));
    const advice = `\`WRITE_GENERATED=true npx jest ${test}\` renews it. Below, "Expected" is generated, "Received" is the file.`;
    throw new Error(`${file} is out of date.\n${advice}`, { cause: error });
  }
}
