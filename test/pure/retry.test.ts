import type { NoResponseReason, RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { Pause, RequestLimiter } from '../../nodes/NeetoForm/api/requestLimiter';
import { retryWait, sendWithRetries, type Attempt } from '../../nodes/NeetoForm/api/retry';

const first: Attempt = { isRead: true, failures: 1, leftMs: 60_000, random: 0 };
const status = (code: number, retryAfterMs?: number) => ({ kind: 'status', status: code, retryAfterMs }) as const;
const lost = (reason: NoResponseReason): RequestFailure => ({ kind: 'no response', reason });

it.each<[RequestFailure, read: boolean, write: boolean]>([
  [status(500), true, false],
  [status(404), false, false],
  [lost('timeout'), true, false],
  [lost('connection lost'), true, false],
  [lost('connection refused'), true, true],
  [lost('unknown host'), true, true],
  [{ kind: 'unreadable', reason: 'broken JSON' }, false, false],
  [{ kind: 'canceled' }, false, false],
])('after %j a read is tried again: %s, and a write: %s', (fault, read, write) => {
  const waits = [true, false].map((isRead) => retryWait(fault, { ...first, isRead }));
  expect(waits.map((wait) => wait !== undefined)).toEqual([read, write]);
});

describe('the wait before the next try', () => {
  it('doubles from half a second, spread by half to one', () => {
    const waits = (random: number) =>
      [1, 2, 3, 4].map((failures) => retryWait(status(503), { ...first, failures, random }));
    expect(waits(0)).toEqual([250, 500, 1_000, 2_000]);
    expect(waits(1)).toEqual([500, 1_000, 2_000, 4_000]);
  });

  it('may end exactly at the limit', () => {
    expect(retryWait(status(503, 20_000), { ...first, leftMs: 20_000 })).toBe(20_000);
    expect(retryWait(status(503, 20_001), { ...first, leftMs: 20_000 })).toBeUndefined();
  });
});

/** ms: passes while somebody waits. */
let now: number;
beforeEach(() => {
  now = 0;
});

type Outcome = RequestFailure | undefined;

/** Sends in that time. @returns what comes of it, and when it was sent (ms) */
async function send(
  outcomes: Outcome[],
  limits: { giveUpAt?: number; limiter?: RequestLimiter } = {},
  onSleep?: () => void,
) {
  const sentAt: number[] = [];
  const { signal } = new AbortController();
  const sleep = async (ms: number) => {
    onSleep?.();
    await Promise.resolve((now += ms));
  };
  const clock = { now: () => now, sleep, timeout: () => signal };
  const failureOf = (failure: Outcome) => failure;
  const attempt = async () => await Promise.resolve(outcomes[Math.min(sentAt.push(now), outcomes.length) - 1]);
  const result = await sendWithRetries(attempt, { isRead: true, limitMs: 60_000, clock, signal, failureOf, ...limits });
  return { ...result, sentAt };
}

it.each<[what: string, outcomes: Outcome[], giveUpAt: number, outcome: Outcome, sentAt: number[]]>([
  ['until it succeeds', [status(500, 2_000), undefined], Infinity, undefined, [0, 2_000]],
  ['until its time is over', [status(500, 7_000)], 20_000, status(500, 7_000), [0, 7_000, 14_000]],
  ['five times at most', [status(500, 1)], Infinity, status(500, 1), [0, 1, 2, 3, 4]],
  ['after each pause', [status(429, 1_000), status(503, 0), undefined], Infinity, undefined, [0, 1_000, 1_000]],
  ['not when the pause ends too late', [status(429, 7_000)], 7_000, status(429, 7_000), [0]],
  ['when the pause ends in time', [status(429, 7_000), undefined], 7_001, undefined, [0, 7_000]],
  ['not at all when it is too late', [undefined], 0, lost('timeout'), []],
])('is sent %s', async (_what, outcomes, giveUpAt, outcome, sentAt) => {
  expect(await send(outcomes, { giveUpAt })).toMatchObject({ outcome, attempts: sentAt.length, sentAt });
});

it('gives up when the pauses since the last answer exceed a minute', async () => {
  const { outcome, sentAt } = await send([status(503, 0), status(429)]);
  expect(outcome).toEqual(status(429));
  expect(sentAt.length).toBeLessThan(12);
  expect([now > 30_000, now < 95_000]).toEqual([true, true]);
});

it('the time for retries begins when the request is first sent, not while it waits for its turn', async () => {
  const limiter = new RequestLimiter(undefined, 1);
  void limiter.run(async () => await Promise.resolve((now = 50_000)));
  const sending = send([status(503, 50_000), undefined], { limiter });
  expect(await sending).toMatchObject({ outcome: undefined, attempts: 2 });
});

it('is not sent again during a pause that another request began meanwhile', async () => {
  const pause = new Pause();
  const begin = () => now === 0 && pause.extend(now, 60_000);
  const limiter = new RequestLimiter(pause);
  expect(await send([status(500, 2_000), undefined], { limiter }, begin)).toMatchObject({ sentAt: [0, 60_000] });
});
