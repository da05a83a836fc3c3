import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { ensureN8n } from '../n8n-runner/install.ts';
import { cacheFolder, repositoryFolder } from '../n8n-runner/paths.ts';
import { type Figure, figuresOf } from './figures.ts';
import { openBench } from './measure/bench.ts';
import { runCell } from './measure/contest.ts';
import { measureGrowth } from './measure/growth.ts';
import { measureInputItems } from './measure/inputItems.ts';
import { measureBacklogs, measureIdlePolls } from './measure/polls.ts';
import { measureWeight } from './measure/weight.ts';
import { type Plan, fullPlan, quickPlan } from './plan.ts';
import { drawCharts } from './report/charts.ts';
import { measuredText, withMeasured } from './report/readme.ts';
import { figureRows, latency, number, spread, titles } from './report/wording.ts';
import type { Results } from './results.ts';

const folder = import.meta.dirname;
const scratchFolder = join(cacheFolder, 'benchmarks');

/** No part takes more than a quarter of this on an idle machine. */
const PART_LIMIT_MS = 12 * 60_000;

async function main(): Promise<void> {
  const isQuick = process.argv.includes('--quick');
  if (!existsSync(join(repositoryFolder, 'dist')))
    throw new Error('The package is not built. Run `npm run build` first.');
  const { version } = await ensureN8n({ onProgress: (message) => console.log(message) });

  const results = await measure(isQuick ? quickPlan : fullPlan, version);
  const figures = figuresOf(results);
  // A quick run measures too little to be published, and one with gaps would take away what an earlier one measured.
  const target = isQuick || results.failures.length > 0 ? scratchFolder : folder;
  await publish(results, figures, target);
  printFigures(figures);
  console.log(`\nAll of it: ${join(target, 'README.md')} and results.json beside it.`);
  for (const { part, reason } of results.failures) console.log(`Missing: ${part}. ${reason}`);
  if (results.failures.length > 0) process.exitCode = 1;
}

/** Measures part by part. One that fails, or takes too long, is noted, and the others are measured all the same. */
async function measure(plan: Plan, n8n: string): Promise<Results> {
  const started = performance.now();
  const [loadBefore = 0] = loadavg();
  const processors = availableParallelism();
  if (loadBefore > processors / 2)
    console.log('This machine has other work to do. Figures of a run on a busy machine say little.');
  const results: Results = {
    circumstances: {
      plan: plan.name,
      rounds: plan.rounds,
      node: process.version,
      n8n,
      processors,
      loadBefore,
      minutes: 0,
    },
    contest: [],
    growth: [],
    idlePolls: [],
    backlogs: [],
    inputItems: [],
    weight: undefined,
    failures: [],
  };
  const bench = await openBench();
  const part = async (name: string, work: () => Promise<void>): Promise<void> => {
    console.log(`${elapsed(started)}  ${name}`);
    try {
      await within(PART_LIMIT_MS, work());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      console.log(`  did not work: ${reason}`);
      results.failures.push({ part: name, reason });
    }
    await bench.stopProcesses();
    // Whatever becomes of the rest: this much is measured.
    await writeResults(results, figuresOf(results), scratchFolder);
  };
  try {
    for (const cell of plan.cells) {
      await part(`${number(cell.rows)} submissions, ${latency(cell.latencyMs)}`, async () => {
        const result = await runCell(bench, cell);
        results.contest.push(result);
        const others = result.standings
          .filter(({ name }) => name !== 'ours')
          .map(({ name, timeToOurs }) => `${titles[name]} ${spread(timeToOurs)}`);
        console.log(`  this node is 1: ${others.join('; ')}`);
      });
    }
    for (const latencyMs of plan.growth.latenciesMs) {
      await part(`How the time per submission grows, ${latency(latencyMs)}`, async () => {
        results.growth.push(...(await measureGrowth(bench, { rows: plan.growth.rows, latencyMs }, plan.rounds)));
      });
    }
    await part('Idle polls', async () => {
      results.idlePolls = await measureIdlePolls(bench, plan.idlePolls);
    });
    await part('Backlogs', async () => {
      results.backlogs = await measureBacklogs(bench, plan.backlogs, plan.rounds);
    });
    await part('Many input items', async () => {
      results.inputItems = await measureInputItems(bench, plan.inputItems, plan.rounds);
    });
    await part('Weight', async () => {
      results.weight = await measureWeight(bench, plan.loads);
    });
    results.circumstances.minutes = Math.ceil((performance.now() - started) / 60_000);
    return results;
  } finally {
    await bench.close();
  }
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It took longer than ${limitMs / 60_000} minutes`)), limitMs);
  });
  try {
    await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

function elapsed(since: number): string {
  const seconds = Math.round((performance.now() - since) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

async function writeResults(results: Results, figures: Figure[], target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'results.json'), `${JSON.stringify({ figures, ...results }, undefined, 2)}\n`);
}

async function publish(results: Results, figures: Figure[], target: string): Promise<void> {
  const charts = await drawCharts(results);
  await mkdir(join(target, 'charts'), { recursive: true });
  for (const { name, svg } of charts) await writeFile(join(target, 'charts', `${name}.svg`), `${svg}\n`);
  await writeResults(results, figures, target);
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  await writeFile(join(target, 'README.md'), withMeasured(readme, measuredText(results, figures, charts)));
}

function printFigures(figures: Figure[]): void {
  console.log('\nFigures to reach');
  const lines = figureRows(figures).map((cells) => cells.map((cell) => cell.replaceAll('**', '')));
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of lines)
    console.log(
      `  ${cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}`,
    );
}

// The folder of a run goes when its process exits, which a signal would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await main();
