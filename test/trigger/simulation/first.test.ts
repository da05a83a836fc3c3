import { RUNS, SEED, simulate, timeFor } from './property';

const runs = Math.ceil(RUNS / 2);

it(
  `delivers each submission once through ${runs} schedules of trouble (seed ${SEED})`,
  async () => {
    await simulate(runs, SEED);
  },
  timeFor(runs),
);
