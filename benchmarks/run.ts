import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { ensureN8n } from '../n8n-host/install.ts';
import { cacheFolder, repositoryFolder } from '../n8n-host/paths.ts';
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

async function main(): Promise<void> {
  const isQuick = process.argv.includes('--quick');
  if (!existsSync(join(repositoryFolder, 'dist'))) throw new Error('The package is not built. Run `npm run build` first.');
  const { version } = await ensureN8n({ onProgress: (message) => console.log(message) });

  const results = await measure(isQuick ? quickPlan : fullPlan, version);
  const figures = figuresOf(results);
  // A quick run measures too little to be published.
  const target = isQuick ? join(cacheFolder, 'benchmarks') : folder;
  await publish(results, figures, target);
  printFigures(figures);
  console.log(`\nAll of it: ${join(target, 'README.md')} and results.json beside it.`);
}

async function measure(plan: Plan, n8n: string): Promise<Results> {
  const started = performance.now();
  const [loadBefore = 0] = loadavg();
  const processors = availableParallelism();
  if (loadBefore > processors / 2) console.log('This machine has other work to do. Figures of a run on a busy machine say little.');
  const bench = await openBench();
  try {
    const contest = [];
    for (const cell of plan.cells) {
      const result = await runCell(bench, cell);
      const others = result.standings.filter(({ name }) => name !== 'ours').map(({ name, timeToOurs }) => `${titles[name]} ${spread(timeToOurs)}`);
      console.log(`${number(cell.rows)} submissions, ${latency(cell.latencyMs)}; this node is 1: ${others.join('; ')}`);
      contest.push(result);
    }
    console.log('How the time per submission grows');
    const growth = await measureGrowth(bench, plan.growth, plan.rounds);
    console.log('Idle polls');
    const idlePolls = await measureIdlePolls(bench, plan.idlePolls, plan.rounds);
    console.log('Backlogs');
    const backlogs = await measureBacklogs(bench, plan.backlogs, plan.rounds);
    console.log('Many input items');
    const inputItems = await measureInputItems(bench, plan.inputItems, plan.rounds);
    console.log('Weight');
    const weight = await measureWeight(bench, plan.loads);
    const minutes = Math.ceil((performance.now() - started) / 60_000);
    const circumstances = { plan: plan.name, rounds: plan.rounds, node: process.version, n8n, processors, loadBefore, minutes };
    return { circumstances, contest, growth, idlePolls, backlogs, inputItems, weight };
  } finally {
    await bench.close();
  }
}

async function publish(results: Results, figures: Figure[], target: string): Promise<void> {
  const charts = await drawCharts(results);
  await mkdir(join(target, 'charts'), { recursive: true });
  for (const { name, svg } of charts) await writeFile(join(target, 'charts', `${name}.svg`), `${svg}\n`);
  await writeFile(join(target, 'results.json'), `${JSON.stringify({ figures, ...results }, undefined, 2)}\n`);
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  await writeFile(join(target, 'README.md'), withMeasured(readme, measuredText(results, figures, charts)));
}

function printFigures(figures: Figure[]): void {
  console.log('\nFigures to reach');
  const lines = figureRows(figures).map((cells) => cells.map((cell) => cell.replaceAll('**', '')));
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of lines) console.log(`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}`);
}

// The folder of a run goes when its process exits, which a signal would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await main();
