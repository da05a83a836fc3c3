import { RUNS, SEED, simulate, timeFor } from './property';

it(
  `delivers each submission once through ${RUNS} schedules (seed ${SEED})`,
  async () => {
    await simulate(RUNS, SEED, 'inject');
  },
  timeFor(RUNS),
);

const overHttp = Math.ceil(RUNS / 20);

it(
  `delivers each submission once through ${overHttp} schedules over real connections (seed ${SEED + 1})`,
  async () => {
    await simulate(overHttp, SEED + 1, 'http');
  },
  timeFor(overHttp),
);
