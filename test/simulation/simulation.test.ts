import { simulate } from './property';

const RUNS = 400;
const SEED = 20_261_125;

jest.setTimeout(300_000);

it(`delivers each submission once, in ${RUNS} schedules from seed ${SEED}`, async () => {
  const { rows, open } = await simulate(RUNS, SEED);
  expect(open / rows).toBeLessThan(0.03);
});
