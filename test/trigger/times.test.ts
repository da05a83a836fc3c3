import { HOUR, MINUTE, SECOND, START } from './harness';
import { begin, beginActive, expectEachOnce, harness } from './setup';

interface Schedule {
  quirks?: Partial<typeof harness.emulator.quirks>;
  minutes: number;
  /** What happens in each minute, before its poll. */
  arrive: (minute: number) => unknown;
}

/** A submission, and another one that becomes visible later. */
const insertTwo = (lateMs: number) => [harness.insert(), harness.insert({ visibleAt: harness.now + lateMs })];
const rounding: Schedule = {
  minutes: 10,
  arrive: (minute) => {
    harness.advance(137);
    harness.insertSpread(minute === 7 ? 250 : 3, minute === 7 ? 15 : 333);
    insertTwo(5 * MINUTE);
  },
};

it.each<[title: string, Schedule]>([
  [
    'with submissions that become visible 10 min late on a busy form',
    {
      minutes: 40,
      arrive: (minute) => {
        harness.insertMany(4, (index) => ({ createdAt: harness.now - index * SECOND }));
        if (minute % 5 === 0)
          harness.insert({ createdAt: harness.now - 2 * SECOND, visibleAt: harness.now + 10 * MINUTE });
      },
    },
  ],
  [
    'with a local clock that is 10 min ahead, 10 min behind, an hour ahead, and right again',
    {
      minutes: 80,
      arrive: (minute) => {
        harness.localSkew = [10 * MINUTE, -10 * MINUTE, HOUR, 0][Math.floor(minute / 20)] ?? 0;
        insertTwo(9 * MINUTE);
      },
    },
  ],
  [
    'with a submission dated two hours ahead, and others after it',
    {
      minutes: 200,
      arrive: (minute) => minute % 3 === 0 && harness.insert(minute === 0 ? { createdAt: harness.now + 2 * HOUR } : {}),
    },
  ],
  [
    'without a Date header while the local clock is 20 min ahead',
    {
      quirks: { noDateHeader: true },
      minutes: 60,
      arrive: () => {
        harness.localSkew = 20 * MINUTE;
        insertTwo(14 * MINUTE);
      },
    },
  ],
  [
    "when the service's clock runs five minutes ahead and submissions come five minutes late",
    { quirks: { dateSkewMs: 5 * MINUTE }, minutes: 60, arrive: () => insertTwo(5 * MINUTE) },
  ],
  [
    'when the service rounds submitted_after up to a second',
    { ...rounding, quirks: { roundSubmittedAfter: { to: 'second', direction: 'up' } } },
  ],
  [
    'when the service rounds submitted_after down to a minute',
    { ...rounding, quirks: { roundSubmittedAfter: { to: 'minute', direction: 'down' } } },
  ],
])('delivers each submission once: %s', async (_, { quirks, minutes, arrive }) => {
  await begin();
  Object.assign(harness.emulator.quirks, quirks);
  await harness.activate();
  await harness.pollFor(minutes * MINUTE, arrive);
  await expectEachOnce();
});

it('delivers a submission that was created before the activation and became visible after it', async () => {
  await begin();
  harness.insert({ createdAt: START - 5 * MINUTE });
  const early = harness.insert({ createdAt: START - 2 * MINUTE, visibleAt: START + 2 * MINUTE });
  await harness.activate();
  harness.advance(2 * MINUTE);
  await expectEachOnce([early]);
});

it('delivers submissions some µs apart in separate polls, each once', async () => {
  await beginActive();
  harness.advance(MINUTE);
  const createdAt = harness.now - 10 * SECOND + 7;
  const ids = [123, 500, 999].map((micros, index) =>
    harness.insert({ createdAt, micros, visibleAt: harness.now + (index + 1) * MINUTE }),
  );
  for (const id of ids) expect((await harness.pollNextMinute()).ids).toEqual([id]);
  await expectEachOnce();
});

it.each(['2026-03-01T17:31:00+05:30', '2026-03-01T12:01:00Z', '2026-03-01T12:01:00', '2026-03-01T12:01:00.123456Z'])(
  'delivers a submission whose time is written %s, once and in order',
  async (createdAt) => {
    await beginActive();
    harness.advance(2 * MINUTE);
    const before = harness.insert({ createdAt: START + MINUTE - SECOND });
    const after = harness.insert({ createdAt: START + MINUTE + SECOND });
    const id = harness.insert({ createdAt });
    expect((await harness.poll()).ids).toEqual([before, id, after]);
    await expectEachOnce();
  },
);

it('delivers a submission that becomes visible, as late as it may, while a poll is reading on behind it', async () => {
  await begin({ latencyMs: 4 * SECOND });
  const past = harness.insert({ createdAt: START - HOUR });
  await harness.activate();
  harness.advance(20 * MINUTE);
  // The first response comes in 4 s; what is settled then ends before the late one, what is settled later would not.
  const settled = harness.now - 15 * MINUTE;
  harness.insert({ createdAt: settled + 6 * SECOND, visibleAt: harness.now + 6 * SECOND });
  harness.insertMany(300, (index) => ({ createdAt: settled + (index < 50 ? 5 * SECOND : 7 * SECOND + index * 10) }));
  await harness.poll();
  await expectEachOnce(harness.inserted.filter((id) => id !== past));
});
