import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join, relative } from 'node:path';

import { ensureN8n } from '../n8n-runner/install.ts';
import { cacheFolder, repositoryFolder } from '../n8n-runner/paths.ts';
import prepareInstance from '../test/support/engine/instanceSetup.ts';
import { drawCharts } from './charts.ts';
import { figureTable, figuresOf } from './figures.ts';
import { fullPlan, measure, quickPlan } from './measurements.ts';

const START = '<!-- measured: written by `npm run bench`, do not edit -->';
const END = '<!-- end of measured -->';

// The temporary folder of n8n's settings is removed when the process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (!existsSync(join(repositoryFolder, 'dist'))) throw new Error('Run `npm run build` first.');
const { version: n8n } = await ensureN8n();
prepareInstance();

const processors = availableParallelism();
/** The load average of the machine before the run. */
const loadBefore = Number((loadavg()[0] ?? 0).toFixed(1));
if (loadBefore > processors / 4) console.log('Other programs use this machine: the figures of this run say little.');

const isQuick = process.argv.includes('--quick');
const started = performance.now();
const minutesNow = (): string => ((performance.now() - started) / 60_000).toFixed(1);
const results = await measure(isQuick ? quickPlan : fullPlan, (title) =>
  console.log(`${minutesNow().padStart(5)} min  ${title}`),
);
const minutes = Number(minutesNow());
const figures = figuresOf(results);

// A quick run leaves the published results as they are.
const published = import.meta.dirname;
const folder = isQuick ? join(cacheFolder, 'benchmarks') : published;
await mkdir(join(folder, 'charts'), { recursive: true });
const run = { node: process.version, n8n, processors, loadBefore, minutes, results };
await writeFile(join(folder, 'results.json'), `${JSON.stringify(run, undefined, 1)}\n`);
const charts = await drawCharts(results);
for (const { name, svg } of charts) await writeFile(join(folder, 'charts', `${name}.svg`), `${svg}\n`);
const measured = [
  START,
  `One run of ${Math.ceil(minutes)} minutes. Node.js ${process.version}, n8n ${n8n}, ${processors} processors, load ${loadBefore} before the run.`,
  figureTable(figures),
  ...charts.map(({ name, alt }) => `![${alt}](charts/${name}.svg)`),
  END,
].join('\n\n');
const readme = await readFile(join(published, 'README.md'), 'utf8');
const [before = '', after] = readme.split(new RegExp(`${START}[^]*${END}`));
if (after === undefined) throw new Error('The README of the benchmarks has no place for the results');
await writeFile(join(folder, 'README.md'), before + measured + after);

const shown = isQuick ? figures.filter((figure) => figure.measured !== undefined) : figures;
console.log(`\n${figureTable(shown)}\n\nAll results: ${join(relative(process.cwd(), folder), 'results.json')}`);
