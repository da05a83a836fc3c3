import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join, relative } from 'node:path';

import { ensureN8n } from '../n8n-runner/install.ts';
import { cacheFolder, repositoryFolder } from '../n8n-runner/paths.ts';
import prepareInstance from '../test/support/engine/instanceSetup.ts';
import { drawCharts } from './charts.ts';
import { figuresOf } from './figures.ts';
import { Harness } from './harness.ts';
import { fullPlan, partsOf, quickPlan } from './measurements.ts';
import { figureTable, withMeasured } from './report.ts';
import type { Result } from './turns.ts';

const isQuick = process.argv.includes('--quick');

/**
 * Measures part by part. A part that fails is reported, and the others are measured all the same.
 * @returns what results.json holds
 */
async function measure(n8n: string) {
  const started = performance.now();
  const minutes = (): string => ((performance.now() - started) / 60_000).toFixed(1);
  const processors = availableParallelism();
  /** The load average of the machine before the run. */
  const loadBefore = Number((loadavg()[0] ?? 0).toFixed(1));
  if (loadBefore > processors / 4) console.log('Other programs use this machine: the figures of this run say little.');
  const results: Result[] = [];
  /** Parts that could not be measured. */
  const failures: string[] = [];
  const harness = await Harness.open();
  try {
    for (const { title, measure: measurePart } of partsOf(isQuick ? quickPlan : fullPlan)) {
      console.log(`${minutes().padStart(5)} min  ${title}`);
      try {
        results.push(...(await measurePart(harness)));
      } catch (error) {
        failures.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
        console.log(`  ${failures.at(-1)}`);
      }
      await harness.endPart();
    }
    const figures = figuresOf(results);
    const node = process.version;
    return { node, n8n, processors, loadBefore, minutes: Number(minutes()), figures, results, failures };
  } finally {
    await harness.close();
  }
}

type Run = Awaited<ReturnType<typeof measure>>;

/** Writes the results, the charts and the README. A quick run, or one with gaps, leaves the published ones as they are. */
async function publish(run: Run): Promise<string> {
  const published = import.meta.dirname;
  const folder = isQuick || run.failures.length > 0 ? join(cacheFolder, 'benchmarks') : published;
  await rm(join(folder, 'charts'), { recursive: true, force: true });
  await mkdir(join(folder, 'charts'), { recursive: true });
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(run, undefined, 1)}\n`);
  const charts = await drawCharts(run.results);
  for (const { name, svg } of charts) await writeFile(join(folder, 'charts', `${name}.svg`), `${svg}\n`);
  const { minutes, node, n8n, processors, loadBefore } = run;
  const measured = [
    `One run of ${Math.ceil(minutes)} minutes. Node.js ${node}, n8n ${n8n}, ${processors} processors, load ${loadBefore} before the run.`,
    figureTable(run.figures),
    ...charts.map(({ name, alt }) => `![${alt}](charts/${name}.svg)`),
  ].join('\n\n');
  const readme = await readFile(join(published, 'README.md'), 'utf8');
  await writeFile(join(folder, 'README.md'), withMeasured(readme, measured));
  return folder;
}

// The temporary folder of n8n's settings is removed when the process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (!existsSync(join(repositoryFolder, 'dist'))) throw new Error('Run `npm run build` first.');
prepareInstance();
const { version } = await ensureN8n({ onProgress: (message) => console.log(message) });
const run = await measure(version);
const folder = await publish(run);
const shown = isQuick ? run.figures.filter(({ measured }) => measured !== undefined) : run.figures;
console.log(`\n${figureTable(shown)}\n\nAll results: ${join(relative(process.cwd(), folder), 'results.json')}`);
for (const failure of run.failures) console.log(`Not measured: ${failure}`);
if (run.failures.length > 0) process.exitCode = 1;
