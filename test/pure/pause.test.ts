import * as fc from 'fast-check';
import { Pause } from '../../nodes/NeetoForm/api/pause';

const HOUR = 3_600_000;

const refusal = (retryAfterMs?: number) => ({ kind: 'status', status: 429, retryAfterMs }) as const;

let pause: Pause;
beforeEach(() => {
  pause = new Pause();
});

it('lasts as long as the service asks for, by the longest of several 429s', () => {
  pause.begin(refusal(4_000), 10, 500);
  pause.begin(refusal(7_000), 20, 500);
  pause.begin(refusal(1_000), 30, 500);
  expect([30, 7_019, 7_020].map((now) => pause.at(now)?.endsAt)).toEqual([7_020, 7_020, undefined]);
});

it('lasts for the back-off where that is longer, or the service asks for no time', () => {
  pause.begin(refusal(), 0, 500);
  expect(pause.at(0)?.endsAt).toBe(500);
  pause.begin(refusal(0), 500, 1_000);
  expect(pause.at(500)?.endsAt).toBe(1_500);
});

it('tells a request that does not wait the words of the service, and when to try again where the service told it', () => {
  const said = { ...refusal(4_000), message: 'Slow down' };
  pause.begin(said, 0, 8_000);
  expect([1_000, 4_000].map((now) => pause.at(now)?.refusal)).toEqual([
    { ...said, retryAfterMs: 3_000 },
    { ...said, retryAfterMs: undefined },
  ]);
  pause.begin(refusal(), 10_000, 500);
  expect(pause.at(10_000)?.refusal).toEqual(refusal());
});

it('lasts an hour at most, but says what the service asks for', () => {
  pause.begin(refusal(10 * HOUR), 0, 500);
  expect(pause.at(0)).toMatchObject({ endsAt: HOUR, refusal: { retryAfterMs: 10 * HOUR } });
});

it('does not begin again when it is over and the clock is set back', () => {
  pause.begin(refusal(300_000), 0, 500);
  expect([299_999, 300_000, 100_000].map((now) => pause.at(now)?.endsAt)).toEqual([300_000, undefined, undefined]);
  pause.begin(refusal(1_000), 100_000, 500);
  expect(pause.at(100_000)?.endsAt).toBe(101_000);
});

it('stays over when the clock was set back while it lasted', () => {
  pause.begin(refusal(10_000), HOUR, 500);
  expect([1_000, HOUR - 5_000, HOUR].map((now) => pause.at(now))).toEqual([undefined, undefined, undefined]);
});

it('stops nothing for longer than a 429 asked for, however the clock jumps', () => {
  // After each step, in which the clock jumps or time passes, another 429 may arrive.
  const step = fc.record({
    passedMs: fc.nat(2 * HOUR),
    jumpMs: fc.oneof(fc.constant(0), fc.integer({ min: -2 * HOUR, max: 2 * HOUR })),
    askedMs: fc.option(fc.nat(2 * HOUR), { nil: undefined }),
  });
  const property = fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
    pause = new Pause();
    let now = 10 * HOUR;
    // The longest time that any of the 429s may still stop requests, as the clock shows it.
    let longestMs = 0;
    for (const { passedMs, jumpMs, askedMs } of steps) {
      now += passedMs + jumpMs;
      if (askedMs !== undefined) {
        pause.begin(refusal(askedMs), now, 0);
        longestMs = Math.max(longestMs, Math.min(HOUR, askedMs));
      }
      const present = pause.at(now);
      expect((present?.endsAt ?? now) - now).toBeLessThanOrEqual(longestMs);
      if (present === undefined) longestMs = 0;
      if (jumpMs === 0 && askedMs !== undefined && askedMs > 0) expect(present).toBeDefined();
    }
  });
  fc.assert(property);
});
