import { RUNS, SEED, simulate, timeFor } from './property';

const runs = Math.ceil(RUNS / 20);

it(
  `delivers each submission once through ${runs} schedules of trouble over real connections (seed ${SEED + 2})`,
  async () => {
    await simulate(runs, SEED + 2, { transport: 'http' });
  },
  timeFor(runs),
);
