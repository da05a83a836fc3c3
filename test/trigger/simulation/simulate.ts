/**
 * Runs the simulation of the trigger for longer than the tests do: `npm run simulate -- --runs 200000 --seed 7`.
 * What breaks a promise is printed as the smallest schedule that does, with the seed that finds it again; the other rounds are run
 * all the same. Exits with 1 when a promise was broken.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Schedules per process: jest keeps what each leaves behind. */
const PER_ROUND = 1_000;

/** Seeds that one round takes: its own, and the next for real connections. */
const SEEDS_PER_ROUND = 2;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
    workers: { type: 'string', default: '2' },
  },
});
const [runs, seed, workers] = [Number(values.runs), Number(values.seed), Number(values.workers)];
const rounds = Math.ceil(runs / PER_ROUND);
const brokenSeeds: number[] = [];
let next = 0;

async function runRounds(): Promise<void> {
  while (next < rounds) {
    const round = next++;
    const [first, count] = [seed + round * SEEDS_PER_ROUND, Math.min(PER_ROUND, runs - round * PER_ROUND)];
    console.log(`Round ${round + 1} of ${rounds}: ${count} schedules from seed ${first}`);
    const jest = join('node_modules', 'jest', 'bin', 'jest.js');
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=4096', jest, '--runInBand', 'test/trigger/simulation'],
      {
        stdio: 'inherit',
        env: { ...process.env, SIMULATION_RUNS: String(count), SIMULATION_SEED: String(first) },
      },
    );
    await once(child, 'exit');
    if (child.exitCode !== 0) brokenSeeds.push(first);
  }
}

await Promise.all(Array.from({ length: workers }, runRounds));
console.log(
  brokenSeeds.length === 0
    ? `${runs} schedules from seed ${seed}: every promise was kept.`
    : `Promises were broken from the seeds ${brokenSeeds.join(', ')}.`,
);
process.exitCode = brokenSeeds.length === 0 ? 0 : 1;
