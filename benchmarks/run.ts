/** `npm run bench`: measures, and writes chart and table into results.md beside this file. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { x } from 'tinyexec';

import manifest from '../package.json' with { type: 'json' };
import { ensureN8n } from '../n8n-runner/install.ts';
import prepareInstance from '../test/support/engine/instanceSetup.ts';
import { pollBacklogs, pollIdleForms, pollOneForm } from './polling.ts';
import { readForm, readLargeForm } from './reading.ts';
import { barChart, type Figure, figureTable, missedTargets } from './report.ts';

const { version } = await ensureN8n();
prepareInstance();
process.env['N8N_LOG_LEVEL'] = 'silent';

const processors = availableParallelism();
const load = (loadavg()[0] ?? 0).toFixed(1);
if (Number(load) > processors / 4) console.log('Other programs use this machine: the times of this run say little.');

const started = performance.now();
const minutesNow = (): number => (performance.now() - started) / 60_000;
async function measure<T>(part: () => Promise<T>): Promise<T> {
  console.log(`${minutesNow().toFixed(1).padStart(5)} min  ${part.name}`);
  return await part();
}
const { figures, seconds } = await measure(readForm);
for (const part of [readLargeForm, pollIdleForms, pollOneForm, pollBacklogs, loadPackage])
  figures.push(...(await measure(part)));

const table = figureTable(figures);
const results = [
  '# Results of the benchmarks',
  barChart('Reading 10,000 submissions, 50 ms latency', seconds),
  table,
  `One run of ${Math.ceil(minutesNow())} minutes. Node.js ${process.version}, n8n ${version}, ${processors} processors, load ${load} before the run.`,
];
await writeFile(join(import.meta.dirname, 'results.md'), `${results.join('\n\n')}\n`);
console.log(`\n${table}`);
const missed = missedTargets(figures);
for (const name of missed) console.error(`The target is not met: ${name}`);
// Ends services and clients.
process.exit(missed.length > 0 ? 1 : 0);

/** Measures how long n8n takes to load both nodes and the credential when it starts. */
async function loadPackage(): Promise<Figure[]> {
  const load = `require('n8n-workflow');
    const started = performance.now();
    for (const file of ${JSON.stringify([...manifest.n8n.nodes, ...manifest.n8n.credentials])})
      for (const Class of Object.values(require('./' + file))) new Class();
    console.log(performance.now() - started);`;
  const values: number[] = [];
  while (values.length < 9) {
    const options = { throwOnError: true, nodeOptions: { cwd: join(import.meta.dirname, '..') } };
    values.push(Number((await x(process.execPath, ['-e', load], options)).stdout));
  }
  return [{ name: 'Loading the package', unit: 'ms', values, atMost: 35 }];
}
