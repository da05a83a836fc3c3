import {
  causeOf,
  compare,
  createHarness,
  EACH_ONCE,
  HOUR,
  MINUTE,
  SECOND,
  START,
  type TriggerHarness,
  type HarnessOptions,
} from './harness';

jest.setTimeout(60_000);

let harness: TriggerHarness;
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness(options);
};

afterEach(async () => await harness.close());

it.each([
  ['up to a second', { roundSubmittedAfter: { to: 'second', direction: 'up' } }],
  ['down to a second', { roundSubmittedAfter: { to: 'second', direction: 'down' } }],
  ['down to a minute', { roundSubmittedAfter: { to: 'minute', direction: 'down' } }],
] as const)('S33 delivers each submission once when the service rounds submitted_after %s', async (_, quirk) => {
  await begin();
  Object.assign(harness.emulator.quirks, quirk);
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    harness.advance(MINUTE + 137);
    inserted.push(
      ...harness.insertSpread(minute === 7 ? 250 : 3, minute === 7 ? 15 : 333),
      harness.insert({ visibleAt: harness.now + 5 * MINUTE }),
    );
    await harness.poll();
  }
  harness.advance(5 * MINUTE);
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it.each([50, 30, 7])(
  'S34 delivers each submission once when the service puts %i on a page at most',
  async (pageSizeCap) => {
    await begin();
    harness.emulator.quirks.pageSizeCap = pageSizeCap;
    await harness.activate();
    harness.advance(MINUTE);
    const ids = [
      ...harness.insertSpread(120, 400),
      ...harness.insertMany(80, () => ({ createdAt: harness.now - SECOND })),
    ];
    await harness.poll();
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  },
);

it('S35 fails with the reason, state unchanged, when the service ignores the order asked for', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const ids = harness.insertSpread(150, 200);
  harness.emulator.quirks.ignoreOrder = 'desc';
  const outcome = await harness.poll();
  expect(outcome.error?.message).toContain('not in the order asked for');
  expect(outcome.staticData).toEqual(outcome.staticDataBefore);
  harness.emulator.quirks.ignoreOrder = false;
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
});

it('S35 does not activate on a form with a past when the service ignores the order', async () => {
  await begin();
  harness.insertMany(3, (index) => ({ createdAt: START - index * MINUTE }));
  harness.emulator.quirks.ignoreOrder = 'asc';
  expect((await harness.activate()).error?.message).toContain('not in the order asked for');
  expect(harness.state).toBeUndefined();
});

it('S36 delivers each submission once, and nothing of the past, when the service ignores submitted_after', async () => {
  await begin();
  harness.emulator.quirks.ignoreSubmittedAfter = true;
  harness.insertMany(430, (index) => ({ createdAt: START - HOUR - index * MINUTE }));
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    harness.advance(MINUTE);
    inserted.push(
      ...harness.insertSpread(minute === 7 ? 150 : 2, 100),
      harness.insert({ visibleAt: harness.now + 5 * MINUTE }),
    );
    await harness.poll();
  }
  harness.advance(5 * MINUTE);
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('fails with the reason when a service that ignores submitted_after cannot be read in the time of a poll', async () => {
  await begin({ transport: 'inject', latencyMs: 2 * SECOND });
  harness.insert({ createdAt: START - SECOND });
  await harness.activate();
  harness.insertMany(3_000, (index) => ({ createdAt: START - HOUR - index * MINUTE }));
  harness.emulator.quirks.ignoreSubmittedAfter = true;
  harness.advance(MINUTE);
  const id = harness.insert();
  const outcome = await harness.poll();
  expect(outcome.error?.message).toContain('too slowly');
  expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
  expect(outcome.staticData).toEqual(outcome.staticDataBefore);
  harness.emulator.quirks.ignoreSubmittedAfter = false;
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([id]);
});

it('does not activate when what the look-back asks to be remembered cannot be read in time', async () => {
  await begin({ transport: 'inject', latencyMs: 2 * SECOND });
  harness.insertMany(3_000, (index) => ({ createdAt: START - index * 100 }));
  expect((await harness.activate()).error?.message).toContain('too slowly');
  expect(harness.state).toBeUndefined();
});

describe('a service that ignores the page number and gives no totals', () => {
  const begins = async (options: HarnessOptions = {}) => {
    await begin({ transport: 'inject', ...options });
    Object.assign(harness.emulator.quirks, { ignorePage: true, noPagination: true });
  };

  it('is read completely, each submission once', async () => {
    await begins();
    harness.insertMany(30, (index) => ({ createdAt: START - index * MINUTE }));
    expect((await harness.activate()).error).toBeUndefined();
    const ids: string[] = [];
    for (let minute = 0; minute < 30; minute++) {
      harness.advance(MINUTE);
      ids.push(...harness.insertSpread(minute === 9 ? 250 : 3, 200), ...harness.insertMany(5, () => ({})));
      expect((await harness.poll()).error).toBeUndefined();
    }
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('is read completely with every active form, whose list it repeats too', async () => {
    await begins({ parameters: { watch: 'active' } });
    const other = harness.emulator.workspace.addForm({ title: 'Other' }).id;
    expect((await harness.activate()).error).toBeUndefined();
    const ids = [harness.insert(), harness.insert({}, other)];
    await harness.pollFor(15 * MINUTE);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });
});
