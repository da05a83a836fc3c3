/** `npm run bench`: measures, and writes table and chart into the README beside this file. */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { ensureN8n } from '../n8n-runner/install.ts';
import prepareInstance from '../test/support/engine/instanceSetup.ts';
import { Harness } from './harness.ts';
import { loadPackage } from './package.ts';
import { pollBacklogs, pollIdleForms, pollLateFinisher } from './polling.ts';
import { readDateRange, readForm, readLargeForm } from './reading.ts';
import { type Part, barChart, figureTable } from './report.ts';

const START = '<!-- measured: written by `npm run bench`, do not edit -->';
const END = '<!-- end of measured -->';

// The temporary folder of n8n's settings is removed when the process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { version, modules } = await ensureN8n();
prepareInstance();
process.env['N8N_LOG_LEVEL'] = 'silent';

const processors = availableParallelism();
/** The load average of the machine before the run. */
const load = (loadavg()[0] ?? 0).toFixed(1);
if (Number(load) > processors / 4) console.log('Other programs use this machine: the times of this run say little.');

const started = performance.now();
const minutesNow = (): number => (performance.now() - started) / 60_000;
const parts: Part[] = [];
const harness = new Harness(modules);
try {
  const reading = [readForm, readLargeForm, readDateRange];
  for (const measure of [...reading, pollIdleForms, pollLateFinisher, pollBacklogs, loadPackage]) {
    console.log(`${minutesNow().toFixed(1).padStart(5)} min  ${measure.name}`);
    parts.push(await measure(harness));
    await harness.end();
  }
} finally {
  await harness.end();
}

const table = figureTable(Object.assign({}, ...parts.map(({ figures }) => figures)) as Part['figures']);
const seconds = parts.find((part) => part.seconds)?.seconds ?? {};
const measured = [
  START,
  barChart('Reading 10,000 submissions, 50 ms latency', seconds),
  table,
  `One run of ${Math.ceil(minutesNow())} minutes. Node.js ${process.version}, n8n ${version}, ${processors} processors, load ${load} before the run.`,
  END,
].join('\n\n');
const readme = join(import.meta.dirname, 'README.md');
const [before = '', after] = (await readFile(readme, 'utf8')).split(new RegExp(`${START}[^]*${END}`));
if (after === undefined) throw new Error('The README of the benchmarks has no place for the results');
await writeFile(readme, before + measured + after);
console.log(`\n${table}`);
