/**
 * Runs the simulation of the trigger for longer than the tests do: `npm run simulate -- --runs 200000 --seed 7`.
 * What breaks a promise is printed as the smallest schedule that does, with the seed that finds it again; the other rounds are run
 * all the same. Exits with 1 when a promise was broken.
 */
import { parseArgs } from 'node:util';
import { x } from 'tinyexec';

/** Schedules per process: jest keeps what each leaves behind. */
const PER_ROUND = 1_600;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
    workers: { type: 'string', default: '2' },
  },
});
const [runs, seed, workers] = [Number(values.runs), Number(values.seed), Number(values.workers)];
const rounds = Array.from({ length: Math.ceil(runs / PER_ROUND) }, (_, round) => round).values();
const brokenSeeds: number[] = [];

async function runRounds(): Promise<void> {
  for (const round of rounds) {
    const [first, count] = [seed + round, Math.min(PER_ROUND, runs - round * PER_ROUND)];
    console.log(`Round ${round + 1}: ${count} schedules from seed ${first}`);
    const [SIMULATION_RUNS, SIMULATION_SEED] = [String(count), String(first)];
    const env = { SIMULATION_RUNS, SIMULATION_SEED, NODE_OPTIONS: '--max-old-space-size=4096' };
    const jest = x('jest', ['--runInBand', 'test/trigger/simulation'], { nodeOptions: { stdio: 'inherit', env } });
    if ((await jest).exitCode !== 0) brokenSeeds.push(first);
  }
}

await Promise.all(Array.from({ length: workers }, runRounds));
console.log(
  brokenSeeds.length === 0
    ? `${runs} schedules from seed ${seed}: every promise was kept.`
    : `Promises were broken from the seeds ${brokenSeeds.join(', ')}.`,
);
process.exitCode = brokenSeeds.length === 0 ? 0 : 1;
