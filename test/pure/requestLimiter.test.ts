import type { RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { Pause, RequestLimiter } from '../../nodes/NeetoForm/api/requestLimiter';

const refusal = (retryAfterMs?: number): RequestFailure => ({ kind: 'status', status: 429, retryAfterMs });

let limiter: RequestLimiter;
beforeEach(() => {
  limiter = new RequestLimiter();
});

it('runs what waits in the order in which it came', async () => {
  const alone = new RequestLimiter(undefined, 1);
  const begun: number[] = [];
  const run = async (number: number) => await alone.run(async () => await Promise.resolve(begun.push(number)));
  await Promise.all([run(0), run(1), run(2)]);
  expect(begun).toEqual([0, 1, 2]);
});

describe('a pause that limiters share', () => {
  let pause: Pause, refused: RequestLimiter, other: RequestLimiter;
  beforeEach(() => {
    pause = new Pause();
    [refused, other] = [new RequestLimiter(pause), new RequestLimiter(pause)];
  });

  it('holds for each of them until its time, whatever the service answers to another', () => {
    refused.note(refusal(4_000), 0, 0, 1);
    other.note(undefined, 0, 10, 1);
    other.note(refusal(1_000), 0, 20, 1);
    expect(other.rateLimitAt(1_000)).toMatchObject({ status: 429, retryAfterMs: 3_000 });
    expect([other.pauseMs(1_000), other.pauseMs(3_999), other.pauseMs(4_000)]).toEqual([3_000, 1, 0]);
  });

  it('holds for the refused one alone when the service names no time', () => {
    refused.note(refusal(), 0, 0, 1);
    expect([refused.pauseMs(0), other.pauseMs(0)]).toEqual([500, 0]);
    other.note(refusal(100), 0, 0, 0);
    expect(other.pauseMs(0)).toBe(100);
    other.note(refusal(), 100, 100, 0);
    expect(other.pauseMs(100)).toBe(500);
  });

  it('does not begin again when it is over and the clock is set back', () => {
    pause.extend(0, 300_000);
    expect([299_999, 300_000, 100_000].map((now) => pause.remainingMs(now))).toEqual([1, 0, 0]);
    pause.extend(100_000, 1_000);
    expect(pause.remainingMs(100_000)).toBe(1_000);
  });

  it('stays over when the clock was set back while it lasted', () => {
    pause.extend(3_600_000, 10_000);
    expect([1_000, 3_595_000].map((now) => pause.remainingMs(now))).toEqual([0, 0]);
  });
});

describe('the pause after a 429', () => {
  const refused = (sentAt: number, now: number, retryAfterMs?: number) =>
    limiter.note(refusal(retryAfterMs), sentAt, now, 1);

  it('is what the service asks for, the longest of those that were in flight', () => {
    refused(0, 10, 4_000);
    refused(0, 20, 7_000);
    refused(0, 30, 1_000);
    expect([30, 7_000, 8_000].map((now) => limiter.pauseMs(now))).toEqual([6_990, 20, 0]);
    expect(limiter.seriesPauseMs).toBe(7_010);
  });

  it('doubles without a header, once for all that were in flight, and begins anew after an answer', () => {
    for (const sentAt of [0, 1, 2]) refused(sentAt, 10);
    expect(limiter.pauseMs(10)).toBe(500);
    refused(510, 510);
    expect(limiter.pauseMs(510)).toBe(1_000);
    limiter.note({ kind: 'no response', reason: 'timeout' }, 1_510, 1_510, 0);
    limiter.note({ kind: 'untrusted', code: 'CERT_HAS_EXPIRED' }, 1_510, 1_510, 0);
    refused(1_510, 1_510);
    expect(limiter.pauseMs(1_510)).toBe(2_000);
    limiter.note(undefined, 3_510, 3_510, 0);
    expect(limiter.seriesPauseMs).toBe(0);
    refused(3_510, 3_510);
    expect(limiter.pauseMs(3_510)).toBe(500);
  });

  it('grows beyond what the service asks for when that was not enough, to 32 seconds at most', () => {
    let now = 0;
    for (let count = 0; count < 20; count++) {
      refused(now, now, 0);
      now += limiter.pauseMs(now);
    }
    refused(now, now, 0);
    expect(limiter.pauseMs(now)).toBe(32_000);
  });

  it('is told to a request that does not wait for it, where the service told it', () => {
    const said: RequestFailure = { kind: 'status', status: 429, message: 'Slow down', retryAfterMs: 4_000 };
    limiter.note(said, 0, 0, 1);
    expect(limiter.rateLimitAt(1_000)).toEqual({ ...said, retryAfterMs: 3_000 });
    refused(4_000, 4_000);
    expect(limiter.rateLimitAt(4_000)).toEqual({ kind: 'status', status: 429 });
  });
});
