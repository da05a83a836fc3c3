import { x } from 'tinyexec';

import manifest from '../package.json' with { type: 'json' };
import { repositoryFolder } from '../n8n-runner/paths.ts';
import type { Part } from './report.ts';

const LOADS = 9;

/** Loads both nodes and the credential, beside what n8n has loaded already. Prints the milliseconds. */
const load = `require('n8n-workflow');
const started = performance.now();
for (const file of ${JSON.stringify([...manifest.n8n.nodes, ...manifest.n8n.credentials])})
  for (const Class of Object.values(require('./' + file))) new Class();
console.log(performance.now() - started);`;

/** What the package costs an n8n that starts. */
export async function loadPackage(): Promise<Part> {
  const values: number[] = [];
  while (values.length < LOADS) {
    const nodeOptions = { cwd: repositoryFolder };
    const { stdout } = await x(process.execPath, ['-e', load], { throwOnError: true, nodeOptions });
    values.push(Number(stdout));
  }
  return { figures: { 'Loading the package': { unit: 'ms', values, atMost: 21 } } };
}
