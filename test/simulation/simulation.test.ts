import { RUNS, SEED, simulate } from './property';

/** ms that one schedule may take on a busy machine; most take a tenth of it. */
const EACH_MS = 500;

jest.setTimeout(120_000 + RUNS * EACH_MS);

it(`delivers each submission once and in time, in ${RUNS} schedules from seed ${SEED}`, async () => {
  await simulate(RUNS, SEED);
});
