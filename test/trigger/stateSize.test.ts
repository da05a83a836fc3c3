import { stateSizeAfterADay } from './stateSize';

jest.setTimeout(120_000);

it.each([
  [1, 1, 1_000],
  [100, 27, 4_000],
])('keeps a state of a few ids after a day of %i submissions an hour', async (perHour, ids, bytes) => {
  const size = await stateSizeAfterADay(perHour);
  expect(size.mostIds).toBeLessThanOrEqual(ids);
  expect(size.bytes).toBeLessThan(bytes);
  expect(size.lost).toBe(0);
});

it('keeps a bounded state after a day of 10,000 submissions an hour, which reaches the 2,000 unsettled ids, and loses none', async () => {
  const size = await stateSizeAfterADay(10_000);
  expect(size.mostIds).toBeGreaterThan(1_900);
  expect(size.mostIds).toBeLessThanOrEqual(3_000);
  expect(size.bytes).toBeLessThan(200_000);
  expect(size.lost).toBe(0);
});
