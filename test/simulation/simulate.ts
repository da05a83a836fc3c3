/** `npm run simulate`: many schedules, in as many processes as the computer has cores. */

import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import prepareInstance from '../support/engine/instanceSetup';
import { simulate } from './property';

const PER_SEED = 500;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20000' }, seed: { type: 'string', default: String(Date.now()) } },
});
const [runs, seed, cores] = [Number(values.runs), Number(values.seed) % 2 ** 31, availableParallelism()];

if (cluster.isPrimary) {
  prepareInstance();
  cluster.setupPrimary({ args: ['--runs', String(runs), '--seed', String(seed)] });
  cluster.on('exit', (_process, code) => code !== 0 && process.exit(1));
  process.once('exit', (code) => {
    if (code === 0) console.log(`${runs} schedules from seed ${seed}: every promise was kept.`);
  });
  for (let core = 0; core < cores; core++) cluster.fork({ CORE: core });
} else {
  for (let first = PER_SEED * Number(process.env.CORE); first < runs; first += PER_SEED * cores) {
    const end = Math.min(first + PER_SEED, runs);
    const open = await simulate(end - first, seed + first / PER_SEED);
    console.log(`${end} of ${runs} schedules: ${open.toFixed(1)} % of the submissions are open`);
  }
  process.disconnect();
}
