/**
 * Lives the trigger through more schedules than the tests do: `npm run simulate -- --runs 200000 --seed 7`.
 * What breaks a promise is printed as the least schedule that does, with the seed that finds it again; the rest is lived through all
 * the same. Exits with 1 when a promise was broken.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Schedules per process: jest keeps what each leaves behind. */
const AT_ONCE = 10_000;

/** Seeds that one round of the tests takes: its own and the two that follow. */
const SEEDS_PER_ROUND = 3;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
const rounds = Math.ceil(runs / AT_ONCE);
const broken: number[] = [];
for (let round = 0; round < rounds; round++) {
  const [first, count] = [seed + round * SEEDS_PER_ROUND, Math.min(AT_ONCE, runs - round * AT_ONCE)];
  console.log(`Round ${round + 1} of ${rounds}: ${count} schedules from seed ${first}`);
  // Each test file runs in a process of its own: the schedules are shared out to two at once.
  const { status } = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=4096',
      join('node_modules', 'jest', 'bin', 'jest.js'),
      '--maxWorkers=2',
      'test/trigger/simulation',
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, SIMULATION_RUNS: String(count), SIMULATION_SEED: String(first) },
    },
  );
  if (status !== 0) broken.push(first);
}
console.log(
  broken.length === 0
    ? `${runs} schedules from seed ${seed}: every promise was kept.`
    : `Promises were broken from the seeds ${broken.join(', ')}.`,
);
process.exitCode = broken.length === 0 ? 0 : 1;
