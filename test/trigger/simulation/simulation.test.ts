import { RUNS, SEED, simulate } from './property';

/** ms that one schedule may take on a busy machine; most take a tenth of it. */
const EACH_MS = 1_000;

jest.setTimeout(120_000 + RUNS * EACH_MS);

it.each([
  ['in this process', 'inject', RUNS, SEED],
  ['over real connections', 'http', Math.ceil(RUNS / 20), SEED + 1],
] as const)('delivers each submission once, %s (%s): %i schedules, seed %i', async (_, transport, runs, seed) => {
  await simulate(runs, seed, transport);
});
