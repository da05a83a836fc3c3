import { begin, expectEachOnce, harness } from './setup';

type Options = Record<string, number | string | boolean>;

describe('an option', () => {
  /** The first poll with these options. */
  const activateWith = async (options: Options) => {
    await begin({ options });
    return await harness.activate();
  };

  it.each<Options>([{ maxFileSizeMb: 0 }, { lookback: 0 }, { lookback: 0.05 + 1 / 90_000 }, { lookback: 525_600 }])(
    'is accepted in range, and Max File Size as anything while Download Files is off: %j',
    async (options) => {
      expect((await activateWith(options)).error).toBeUndefined();
      harness.insert();
      await harness.poll();
      // IDs are stored with the whole milliseconds from the watermark to their creation.
      expect(harness.cursor?.watermark).toBe(Math.round(harness.cursor?.watermark ?? NaN));
      await expectEachOnce();
    },
  );

  it.each<[Options, string]>([
    [{ downloadFiles: true, maxFileSizeMb: 0 }, 'Max File Size'],
    [{ downloadFiles: true, maxFileSizeMb: 'large' }, 'Max File Size'],
    [{ lookback: Infinity }, 'Look-Back'],
    [{ lookback: NaN }, 'Look-Back'],
    [{ lookback: -1 }, 'Look-Back'],
    [{ lookback: 'soon' }, 'Look-Back'],
    [{ lookback: 1e12 }, 'Look-Back'],
    [{ maxSubmissions: 0 }, 'Max Submissions'],
    [{ maxSubmissions: 'all' }, 'Max Submissions'],
    [{ startFrom: 'yesterday-ish' }, 'Start From'],
  ])('is refused before a request, and named: %j', async (options, label) => {
    const { error, requests } = await activateWith(options);
    expect(error?.message).toContain(`'${label}`);
    expect(requests).toEqual([]);
  });
});
