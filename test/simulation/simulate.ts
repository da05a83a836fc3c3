/** `npm run simulate`: many schedules, in as many processes as the computer has cores. */

import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import prepareInstance from '../support/engine/instanceSetup';
import { simulate, type Tally } from './property';

/** Schedules that a process runs with one seed. */
const PER_SEED = 500;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
  },
});
const [runs, seed, cores] = [Number(values.runs), Number(values.seed), availableParallelism()];

if (cluster.isPrimary) {
  prepareInstance();
  const total = { runs: 0, rows: 0, open: 0 };
  cluster.on('message', (_process, tally: Tally) => {
    for (const key of ['runs', 'rows', 'open'] as const) total[key] += tally[key];
    const open = ((100 * total.open) / total.rows).toFixed(1);
    console.log(`${total.runs} of ${runs} schedules; ${open} % of the submissions are open`);
  });
  // A process that finds a schedule which breaks a promise has printed it.
  cluster.on('exit', (_process, code) => code !== 0 && process.exit(1));
  process.once(
    'exit',
    (code) => code === 0 && console.log(`${runs} schedules from seed ${seed}: every promise was kept.`),
  );
  for (let core = 0; core < cores; core++) cluster.fork({ CORE: core });
} else {
  for (let first = PER_SEED * Number(process.env.CORE); first < runs; first += PER_SEED * cores)
    process.send?.(await simulate(Math.min(PER_SEED, runs - first), seed + first / PER_SEED));
  process.disconnect();
}
