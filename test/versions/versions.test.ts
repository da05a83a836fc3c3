import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { runnerFolder } from '../../n8n-runner/paths.ts';
import { type TestInstance, startTestInstance, startTimeoutMs } from '../e2e/support/instance.ts';
import { describeChecks } from './checks.ts';

const manifest = z.object({ dependencies: z.object({ n8n: z.string() }) });

/** The versions that have a folder in n8n-runner, oldest first. */
const versions = globSync(['package.json', 'versions/*/package.json'], { cwd: runnerFolder })
  .map((path) => join(runnerFolder, path))
  .map((path) => ({
    folder: dirname(path),
    n8n: manifest.parse(JSON.parse(readFileSync(path, 'utf8'))).dependencies.n8n,
  }))
  .sort((one, other) => one.n8n.localeCompare(other.n8n, 'en', { numeric: true }));

// The titles are the rows and columns of the compatibility table.
describe.each(versions)('n8n $n8n', ({ folder }) => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance({ folder });
  }, 2 * startTimeoutMs);
  afterAll(async () => await instance.stop());

  describeChecks(() => instance);
});
