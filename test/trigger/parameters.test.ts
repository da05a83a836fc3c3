import { createHarness, type TriggerHarness } from './harness';

let harness: TriggerHarness;

afterEach(async () => await harness.close());

/** The first poll with these options. */
const activateWith = async (options: Record<string, number | string | boolean>) => {
  harness = await createHarness({ transport: 'inject', options });
  return await harness.activate();
};

it.each([0, -1, '', 'large'])('accepts %j as Max File Size while Download Files is off', async (maxFileSize) => {
  expect((await activateWith({ maxFileSize })).error).toBeUndefined();
  const id = harness.insert();
  expect((await harness.pollNextMinute()).ids).toEqual([id]);
});

it.each<[Record<string, number | string | boolean>, string]>([
  [{ downloadFiles: true, maxFileSize: 0 }, 'Max File Size'],
  [{ downloadFiles: true, maxFileSize: 'large' }, 'Max File Size'],
  [{ lookback: Infinity }, 'Look-Back'],
  [{ lookback: NaN }, 'Look-Back'],
  [{ lookback: -1 }, 'Look-Back'],
  [{ lookback: 'soon' }, 'Look-Back'],
  [{ lookback: 1e12 }, 'Look-Back'],
  [{ maxSubmissions: 0 }, 'Max Submissions'],
  [{ maxSubmissions: 'all' }, 'Max Submissions'],
  [{ startFrom: 'yesterday-ish' }, 'Start From'],
])('refuses %j before a request, and names the option', async (options, label) => {
  const { error, requests } = await activateWith(options);
  expect(error?.message).toContain(`'${label}`);
  expect(error?.message).not.toContain('Invalid time value');
  expect(requests).toEqual([]);
});

it.each([0, 0.5, 60, 1_440])('accepts a Look-Back of %s minutes', async (lookback) => {
  expect((await activateWith({ lookback })).error).toBeUndefined();
  const id = harness.insert();
  expect((await harness.pollNextMinute()).ids).toEqual([id]);
});
