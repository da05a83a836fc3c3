import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { x } from 'tinyexec';

import manifest from '../package.json' with { type: 'json' };
import { packPackage } from '../n8n-runner/communityPackage.ts';
import { repositoryFolder } from '../n8n-runner/paths.ts';
import { type Part, figure } from './report.ts';

const LOADS = 9;

/** Loads both nodes and the credential, beside what n8n has loaded already. Prints the milliseconds. */
const load = `require('n8n-workflow');
const started = performance.now();
for (const file of ${JSON.stringify([...manifest.n8n.nodes, ...manifest.n8n.credentials])})
  for (const Class of Object.values(require('./' + file))) new Class();
console.log(performance.now() - started);`;

/** What the package costs an n8n that starts. */
export async function measurePackage(): Promise<Part> {
  const loads: number[] = [];
  while (loads.length < LOADS) {
    const nodeOptions = { cwd: repositoryFolder };
    const { stdout } = await x(process.execPath, ['-e', load], { throwOnError: true, nodeOptions });
    loads.push(Number(stdout));
  }
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  try {
    const { size } = await packPackage(folder);
    return {
      figures: [
        figure('Loading the package', 'ms', loads, { atMost: 21 }),
        figure('Packed size', 'kB', [size / 1_000], { atMost: 66 }),
      ],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
