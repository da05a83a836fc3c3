import { begin, expectEachOnce, harness } from './triggerHarness';

type Options = Record<string, number | string | boolean>;

describe('an option', () => {
  /** The first poll with these options. */
  const activateWith = async (options: Options) => {
    await begin({ options });
    return await harness.activate();
  };

  it('Max File Size is accepted as anything while Download Files is off', async () => {
    expect((await activateWith({ maxFileSizeMb: 0 })).error).toBeUndefined();
    harness.insert();
    await harness.poll();
    await expectEachOnce();
  });

  it.each<[Options, string]>([
    [{ downloadFiles: true, maxFileSizeMb: 0 }, 'Max File Size'],
    [{ downloadFiles: true, maxFileSizeMb: 'large' }, 'Max File Size'],
    [{ maxSubmissions: 0 }, 'Max Submissions per Poll'],
    [{ maxSubmissions: 'all' }, 'Max Submissions per Poll'],
    [{ startFrom: 'yesterday-ish' }, 'Start From'],
  ])('is refused before a request, and named: %j', async (options, label) => {
    const { error, requests } = await activateWith(options);
    expect(error?.message).toContain(`'${label}`);
    expect(requests).toEqual([]);
  });
});
