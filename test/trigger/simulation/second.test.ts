import { RUNS, SEED, simulate, timeFor } from './property';

const runs = Math.floor(RUNS / 2);

it(
  `delivers each submission once through ${runs} schedules of trouble (seed ${SEED + 1})`,
  async () => {
    await simulate(runs, SEED + 1);
  },
  timeFor(runs),
);
