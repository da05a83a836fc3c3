/** `npm run simulate`: many schedules, in as many processes as the computer has cores. */

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import prepareInstance from '../support/engine/instanceSetup';
import { simulate, type Tally } from './property';

/** Schedules of one process: the next one begins with an empty memory. */
const PER_ROUND = 1_000;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
    round: { type: 'boolean', default: false },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];

/** Runs schedules in a process of their own, which prints the smallest one that breaks. */
async function runRound(count: number, from: number): Promise<Tally | undefined> {
  return await new Promise((resolve) => {
    const round = fork(import.meta.filename, ['--round', '--runs', String(count), '--seed', String(from)]);
    round.once('message', (tally) => resolve(tally as Tally));
    round.once('exit', () => resolve(undefined));
  });
}

async function runAll(): Promise<void> {
  prepareInstance();
  const began = performance.now();
  const total = { runs: 0, rows: 0, open: 0 };
  const firsts = Array.from({ length: Math.ceil(runs / PER_ROUND) }, (_, round) => round * PER_ROUND).values();
  const worker = async () => {
    for (const first of firsts) {
      const count = Math.min(PER_ROUND, runs - first);
      const tally = await runRound(count, seed + first / PER_ROUND);
      if (tally === undefined) process.exit(1);
      total.runs += count;
      total.rows += tally.rows;
      total.open += tally.open;
      const perSecond = Math.round((1_000 * total.runs) / (performance.now() - began));
      const open = ((100 * total.open) / total.rows).toFixed(1);
      console.log(`${total.runs} of ${runs} schedules, ${perSecond} a second; ${open} % of the submissions are open`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  console.log(`${runs} schedules from seed ${seed}: every promise was kept.`);
}

if (values.round) process.send?.(await simulate(runs, seed), () => process.exit());
else await runAll();
