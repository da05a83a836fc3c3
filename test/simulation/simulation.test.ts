import { simulate } from './property';

const RUNS = 400;
const SEED = 20_261_125;

jest.setTimeout(300_000);

it(`delivers each submission once, in ${RUNS} schedules from seed ${SEED}`, async () => {
  expect(await simulate(RUNS, SEED)).toBeLessThan(3);
});
