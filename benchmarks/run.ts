/** `npm run bench`: measures, and writes table and charts beside this file. With `--quick` it writes to `.cache/benchmarks`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { ensureN8n } from '../n8n-runner/install.ts';
import { cacheFolder } from '../n8n-runner/paths.ts';
import prepareInstance from '../test/support/engine/instanceSetup.ts';
import { Harness } from './harness.ts';
import { pollBacklogs, pollIdleForms, pollOneForm } from './polling.ts';
import { readDateRange, readForms } from './reading.ts';
import { drawCharts, type Figure, figureTable, type Point } from './report.ts';

const START = '<!-- measured: written by `npm run bench`, do not edit -->';
const END = '<!-- end of measured -->';

// The temporary folder of n8n's settings is removed when the process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { version, modules } = await ensureN8n();
prepareInstance();

const processors = availableParallelism();
/** The load average of the machine before the run. */
const loadBefore = Number((loadavg()[0] ?? 0).toFixed(1));
if (loadBefore > processors / 4) console.log('Other programs use this machine: the figures of this run say little.');

const isQuick = process.argv.includes('--quick');
const started = performance.now();
const minutesNow = (): number => (performance.now() - started) / 60_000;
const [figures, points]: [Figure[], Point[]] = [[], []];
const harness = new Harness(modules);
try {
  for (const part of [readForms, readDateRange, pollIdleForms, pollOneForm, pollBacklogs]) {
    console.log(`${minutesNow().toFixed(1).padStart(5)} min  ${part.name}`);
    const measured = await part(harness, isQuick);
    figures.push(...measured.figures);
    points.push(...(measured.points ?? []));
    await harness.end();
  }
} finally {
  await harness.end();
}
const minutes = Math.ceil(minutesNow());

const published = import.meta.dirname;
const folder = isQuick ? join(cacheFolder, 'benchmarks') : published;
await mkdir(join(folder, 'charts'), { recursive: true });
const run = { node: process.version, n8n: version, processors, loadBefore, minutes, figures, points };
await writeFile(join(folder, 'results.json'), `${JSON.stringify(run, undefined, 1)}\n`);
const charts = await drawCharts(points);
for (const { name, svg } of charts) await writeFile(join(folder, 'charts', `${name}.svg`), `${svg}\n`);
const measured = [
  START,
  `One run of ${minutes} minutes. Node.js ${process.version}, n8n ${version}, ${processors} processors, load ${loadBefore} before the run.`,
  figureTable(figures),
  ...charts.map(({ name, alt }) => `![${alt}](charts/${name}.svg)`),
  END,
].join('\n\n');
const readme = await readFile(join(published, 'README.md'), 'utf8');
const [before = '', after] = readme.split(new RegExp(`${START}[^]*${END}`));
if (after === undefined) throw new Error('The README of the benchmarks has no place for the results');
await writeFile(join(folder, 'README.md'), before + measured + after);
console.log(`\n${figureTable(figures)}\n\nAll results: ${join(folder, 'results.json')}`);
