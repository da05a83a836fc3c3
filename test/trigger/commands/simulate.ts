/**
 * Lives the trigger through more schedules than the tests do: `npm run simulate -- --runs 200000 --seed 7`.
 * What breaks a promise is printed as the least schedule that does, with the seed that finds it again.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '50000' }, seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) } },
});

/** Each test file runs in a process of its own: the runs are shared out to two at once. */
const child = spawn(process.execPath, ['--max-old-space-size=4096', join('node_modules', 'jest', 'bin', 'jest.js'), '--maxWorkers=2', 'test/trigger/simulation'], {
  stdio: 'inherit',
  env: { ...process.env, SIMULATION_RUNS: values.runs, SIMULATION_SEED: values.seed },
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
