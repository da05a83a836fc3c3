import {
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

it('S07 delivers a submission that becomes visible 10 min late on a busy form', async () => {
  await begin();
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 40; minute++) {
    harness.advance(MINUTE);
    inserted.push(...harness.insertMany(4, (index) => ({ createdAt: harness.now - index * SECOND })));
    if (minute % 5 === 0)
      inserted.push(harness.insert({ createdAt: harness.now - 2 * SECOND, visibleAt: harness.now + 10 * MINUTE }));
    await harness.poll();
  }
  harness.advance(10 * MINUTE);
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S08 does not deliver a submission that becomes visible 40 min after its own time, as documented', async () => {
  await begin();
  await harness.activate();
  for (let minute = 0; minute < 3; minute++) {
    harness.advance(30 * MINUTE);
    harness.insert();
    await harness.poll();
  }
  const late = harness.insert({ createdAt: harness.now - 40 * MINUTE });
  const timely = harness.insert({ createdAt: harness.now - 14 * MINUTE });
  await harness.pollUntilEmpty();
  expect(harness.delivered).toContain(timely);
  expect(harness.delivered).not.toContain(late);
});

it('S09 delivers a submission that was created before the activation and became visible after it', async () => {
  await begin();
  const past = harness.insert({ createdAt: START - 5 * MINUTE });
  const early = harness.insert({ createdAt: START - 2 * MINUTE, visibleAt: START + 2 * MINUTE });
  await harness.activate();
  harness.advance(3 * MINUTE);
  await harness.poll();
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([early]);
  expect(harness.delivered).not.toContain(past);
});

it('S22 S23 S24 delivers each submission once however wrong the local clock is', async () => {
  await begin();
  await harness.activate();
  const inserted: string[] = [];
  for (const skew of [10 * MINUTE, -10 * MINUTE, HOUR, 0]) {
    harness.localSkew = skew;
    for (let minute = 0; minute < 20; minute++) {
      harness.advance(MINUTE);
      inserted.push(harness.insert(), harness.insert({ visibleAt: harness.now + 9 * MINUTE }));
      await harness.poll();
    }
  }
  harness.advance(10 * MINUTE);
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S25 delivers a submission dated two hours ahead, and all that come after it', async () => {
  await begin();
  await harness.activate();
  const inserted = [harness.insert({ createdAt: harness.now + 2 * HOUR })];
  for (let minute = 0; minute < 200; minute++) {
    harness.advance(MINUTE);
    if (minute % 3 === 0) inserted.push(harness.insert());
    await harness.poll();
  }
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S25 delivers what comes after an activation at which the newest submission was dated two hours ahead', async () => {
  await begin();
  const past = [harness.insert({ createdAt: START - MINUTE }), harness.insert({ createdAt: START + 2 * HOUR })];
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 200; minute++) {
    harness.advance(MINUTE);
    if (minute % 3 === 0) inserted.push(harness.insert());
    await harness.poll();
  }
  expect(harness.delivered).toEqual(inserted);
  expect(past.filter((id) => harness.delivered.includes(id))).toEqual([]);
});

it('S26 delivers each submission once when the service sends no Date header and the local clock is 20 min ahead', async () => {
  await begin();
  harness.emulator.quirks.noDateHeader = true;
  harness.localSkew = 20 * MINUTE;
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    harness.advance(MINUTE);
    inserted.push(harness.insert(), harness.insert({ visibleAt: harness.now + 14 * MINUTE }));
    await harness.poll();
  }
  harness.advance(15 * MINUTE);
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S26 continues to deliver after a burst of 2,500 when the service sends no Date header', async () => {
  await begin({ transport: 'inject' });
  harness.emulator.quirks.noDateHeader = true;
  await harness.activate();
  harness.advance(MINUTE);
  const inserted = harness.insertMany(2_500, (index) => ({ createdAt: harness.now - index }));
  for (let minute = 0; minute < 40; minute++) {
    await harness.poll();
    harness.advance(MINUTE);
    inserted.push(harness.insert());
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it("S27 delivers a submission five minutes late when the service's clock runs five minutes ahead", async () => {
  await begin();
  harness.emulator.quirks.dateSkewMs = 5 * MINUTE;
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    harness.advance(MINUTE);
    inserted.push(harness.insert(), harness.insert({ visibleAt: harness.now + 5 * MINUTE }));
    await harness.poll();
  }
  harness.advance(10 * MINUTE);
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('delivers a submission that becomes visible, as late as it may, while a poll is reading on behind it', async () => {
  await begin({ transport: 'inject', latencyMs: 4 * SECOND });
  harness.insert({ createdAt: START - HOUR });
  await harness.activate();
  harness.advance(20 * MINUTE);
  // The first answer comes 4 s from now; what is settled then ends before the late one, what is settled later would not.
  const settled = harness.now - 15 * MINUTE;
  const late = harness.insert({ createdAt: settled + 6 * SECOND, visibleAt: harness.now + 6 * SECOND });
  const inserted = harness.insertMany(300, (index) => ({
    createdAt: settled + (index < 50 ? 5 * SECOND : 7 * SECOND + index * 10),
  }));
  await harness.poll();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, [late, ...inserted])).toEqual(EACH_ONCE);
});

it('S32 delivers submissions some µs apart in separate polls, each once', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const at = harness.now - 10 * SECOND + 7;
  const inserted = [123, 500, 999].map((micros, index) =>
    harness.insert({ createdAt: at, micros, visibleAt: harness.now + index * MINUTE }),
  );
  for (const id of inserted) {
    expect((await harness.poll()).ids).toEqual([id]);
    harness.advance(MINUTE);
  }
  expect((await harness.poll()).ids).toBeNull();
});

it.each(['2026-03-01T17:31:00+05:30', '2026-03-01T12:01:00Z', '2026-03-01T12:01:00', '2026-03-01T12:01:00.123456Z'])(
  'S40 delivers a submission whose time is written %s, once and in order',
  async (createdAt) => {
    await begin();
    await harness.activate();
    harness.advance(2 * MINUTE);
    const before = harness.insert({ createdAt: START + MINUTE - SECOND });
    const after = harness.insert({ createdAt: START + MINUTE + SECOND });
    const id = harness.insert({ createdAt });
    expect((await harness.poll()).ids).toEqual([before, id, after]);
    expect((await harness.pollUntilEmpty()).flatMap(({ ids }) => ids ?? [])).toEqual([]);
  },
);

it('keeps a look-back of a fraction of a millisecond from repeating anything', async () => {
  await begin({ options: { lookback: 1 / 90_000 + 0.05 } });
  await harness.activate();
  const inserted: string[] = [];
  for (let round = 0; round < 300; round++) {
    harness.advance(997);
    inserted.push(harness.insert(), harness.insert({ createdAt: harness.now - (round % 3_000) }));
    await harness.poll();
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('delivers what becomes visible while pages are read, as late as the look-back allows', async () => {
  await begin({ transport: 'inject', latencyMs: 2 * SECOND });
  await harness.activate();
  harness.advance(30 * MINUTE);
  const ids = harness.insertMany(450, (index) => ({ createdAt: harness.now - 20 * MINUTE + index * 2 * SECOND }));
  const late = harness.insert({
    createdAt: harness.now + 3 * SECOND - 15 * MINUTE,
    visibleAt: harness.now + 3 * SECOND,
  });
  await harness.poll();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, [...ids, late])).toEqual(EACH_ONCE);
});
