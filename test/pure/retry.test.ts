import type { NoResponseReason, RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { newLimits, retryWait, sendWithRetries, type Attempt, type Limits } from '../../nodes/NeetoForm/api/retry';
import { VirtualTime } from '../support/virtualTime';

const first: Attempt = { isRead: true, failures: 1, leftMs: 60_000, random: 0 };
const status = (code: number, retryAfterMs?: number) => ({ kind: 'status', status: code, retryAfterMs }) as const;
const lost = (reason: NoResponseReason): RequestFailure => ({ kind: 'no response', reason });

it.each<[RequestFailure, read: boolean, write: boolean]>([
  ...[500, 502, 503, 504, 520, 599].map((code): [RequestFailure, boolean, boolean] => [status(code), true, false]),
  [status(404), false, false],
  [lost('timeout'), true, false],
  [lost('connection lost'), true, false],
  [lost('connection refused'), true, true],
  [lost('unknown host'), true, true],
  [lost('no route'), true, true],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, false, false],
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
async function send(outcomes: Outcome[], policy: { giveUpAt?: number; limits?: Limits } = {}, onSleep?: () => void) {
  const sentAt: number[] = [];
  const { signal } = new AbortController();
  const sleep = async (ms: number) => {
    onSleep?.();
    await Promise.resolve((now += ms));
  };
  const clock = { now: () => now, sleep, timeout: () => signal };
  const failureOf = (failure: Outcome) => failure;
  const attempt = async () => await Promise.resolve(outcomes[Math.min(sentAt.push(now), outcomes.length) - 1]);
  const result = await sendWithRetries(attempt, { isRead: true, limitMs: 60_000, clock, signal, failureOf, ...policy });
  return { ...result, sentAt };
}

it.each<[what: string, outcomes: Outcome[], giveUpAt: number, outcome: Outcome, sentAt: number[]]>([
  ['until it succeeds', [status(500, 2_000), undefined], Infinity, undefined, [0, 2_000]],
  ['until its time is over', [status(500, 7_000)], 20_000, status(500, 7_000), [0, 7_000, 14_000]],
  ['five times at most', [status(500, 1)], Infinity, status(500, 1), [0, 1, 2, 3, 4]],
  ['after each pause', [status(429, 1_000), status(503, 0), undefined], Infinity, undefined, [0, 1_000, 1_000]],
  [
    'for longer than a minute where another answer comes between the 429s',
    [429, 503, 429, 503, 429, 429, 200].map((code) =>
      code === 200 ? undefined : status(code, code === 429 ? 25_000 : 0),
    ),
    Infinity,
    undefined,
    [0, 25_000, 25_000, 50_000, 50_000, 75_000, 100_000],
  ],
  ['not when the pause ends too late', [status(429, 7_000)], 7_000, status(429, 7_000), [0]],
  ['when the pause ends in time', [status(429, 7_000), undefined], 7_001, undefined, [0, 7_000]],
  ['not at all when it is too late', [undefined], 0, lost('timeout'), []],
])('is sent %s', async (_what, outcomes, giveUpAt, outcome, sentAt) => {
  expect(await send(outcomes, { giveUpAt })).toMatchObject({ outcome, attempts: sentAt.length, sentAt });
});

it('ends its wait when it is canceled', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const sleep = async () => await new Promise<void>(() => controller.abort());
  const clock = { now: () => now, sleep, timeout: () => signal };
  const attempt = async () =>
    await Promise.resolve(signal.aborted ? ({ kind: 'canceled' } as const) : status(503, 30_000));
  const policy = { isRead: true, limitMs: 60_000, clock, signal, failureOf: (failure: RequestFailure) => failure };
  expect(await sendWithRetries(attempt, policy)).toEqual({ outcome: { kind: 'canceled' }, attempts: 2 });
});

it('gives up after a minute in which the service answered nothing but 429', async () => {
  const { outcome, sentAt } = await send([status(503, 0), status(429)]);
  expect(outcome).toEqual(status(429));
  expect(sentAt.length).toBeLessThan(18);
  expect([now > 30_000, now < 95_000]).toEqual([true, true]);
});

it.each<[answer: string, isEnd: boolean, outcome: Outcome]>([
  ['a success', true, undefined],
  ['a refusal', true, status(404)],
  ['a response that cannot be read', true, { kind: 'unreadable', reason: 'web page' }],
  ['a lost connection', false, lost('connection lost')],
])('%s ends the minute in which the service answers nothing but 429: %s', async (_answer, isEnd, outcome) => {
  const limits = newLimits();
  await send([status(429, 30_000), outcome], { limits });
  now = 60_001;
  const { sentAt } = await send([status(429, 1_000), undefined], { limits });
  expect(sentAt).toEqual(isEnd ? [60_001, 61_001] : [60_001]);
});

it('waits for no pause of more than a minute, and says when to try again', async () => {
  expect(await send([status(429, 60_001)])).toMatchObject({ outcome: status(429, 60_001), sentAt: [0] });
  expect(await send([status(429, 60_000), undefined])).toMatchObject({ outcome: undefined, sentAt: [0, 60_000] });
});

it('the time for retries begins when the request is first sent, not while it waits for its turn', async () => {
  const limits = newLimits();
  limits.slots.limit = 1;
  void limits.slots.run(async () => await Promise.resolve((now = 50_000)));
  const sending = send([status(503, 50_000), undefined], { limits });
  expect(await sending).toMatchObject({ outcome: undefined, attempts: 2 });
});

it('is not sent again during a pause that another request began meanwhile', async () => {
  const limits = newLimits();
  const begin = () => now === 0 && limits.pause.begin({ kind: 'status', status: 429, retryAfterMs: 60_000 }, now, 0);
  expect(await send([status(500, 2_000), undefined], { limits }, begin)).toMatchObject({ sentAt: [0, 60_000] });
});

it.each([
  ['back', -3_600_000],
  ['ahead', 3_600_000],
])('a clock that is set %s an hour ends a pause at once, and does not keep endless 429s from ending', async (_, ms) => {
  let sleeps = 0;
  const jump = () => {
    if (++sleeps === 20) now += ms;
  };
  expect((await send([status(429, 30_000), undefined], {}, jump)).sentAt).toEqual([0, 1_900 + ms + 100]);
  [now, sleeps] = [0, 0];
  await send([status(429, 1_000)], {}, jump);
  // Each sleep takes 100 ms at most.
  expect(sleeps).toBeLessThan(1_000);
});

describe('many requests at once', () => {
  /** How a service limits the rate: so many requests in a window. What it says in Retry-After may be missing, or too short. */
  interface Rate {
    perWindow: number;
    windowMs: number;
    retryAfterMs: (leftMs: number) => number | undefined;
  }

  /** Sends requests to such a service. @returns how many were given up, how many were sent, with how many each was under way, and the time it took (ms) */
  async function sendAll(count: number, { perWindow, windowMs, retryAfterMs }: Rate) {
    const time = new VirtualTime(0);
    let [sent, window, answered] = [0, NaN, 0];
    const counts: number[] = [];
    let inFlight = 0;
    const attempt = async (): Promise<Outcome> => {
      sent++;
      counts.push(++inFlight);
      await time.pass(100);
      inFlight--;
      const current = Math.floor(time.now / windowMs);
      if (current !== window) [window, answered] = [current, 0];
      return answered++ < perWindow ? undefined : status(429, retryAfterMs((current + 1) * windowMs - time.now));
    };
    const limits = newLimits();
    const { signal } = new AbortController();
    const policy = { isRead: true, limitMs: 60_000, clock: time.computer, signal, failureOf: (each: Outcome) => each };
    const requests = Array.from({ length: count }, async () => await sendWithRetries(attempt, { ...policy, limits }));
    const ends = await time.until(Promise.all(requests));
    return { refused: ends.filter(({ outcome }) => outcome !== undefined).length, sent, counts, endedAt: time.now };
  }

  it.each<[what: string, count: number, rate: Rate]>([
    ['one a second, and says so', 200, { perWindow: 1, windowMs: 1_000, retryAfterMs: (leftMs) => leftMs }],
    ['one a second, and does not say so', 200, { perWindow: 1, windowMs: 1_000, retryAfterMs: () => undefined }],
    ['one in ten seconds, and says two', 60, { perWindow: 1, windowMs: 10_000, retryAfterMs: () => 2_000 }],
    ['60 a minute, and says half of that', 2_000, { perWindow: 60, windowMs: 60_000, retryAfterMs: () => 30_000 }],
    ['60 a minute, and says so', 2_000, { perWindow: 60, windowMs: 60_000, retryAfterMs: (leftMs) => leftMs }],
  ])('are all answered where the service answers %s', async (_what, count, rate) => {
    const { refused, sent, counts } = await sendAll(count, rate);
    expect(refused).toBe(0);
    expect(sent).toBeLessThan(5 * count);
    // At most 60 are answered before the first 429, and then those that were under way with it.
    expect(new Set(counts.slice(72))).toEqual(new Set([1]));
  });

  it.each([
    ['without a time', undefined],
    ['with half a minute', 30_000],
    ['with a time that is over at once', 0],
  ])('all end where the service answers nothing but 429 %s, and most are never sent', async (_what, retryAfterMs) => {
    const rate = { perWindow: 0, windowMs: 1_000, retryAfterMs: () => retryAfterMs };
    const { refused, sent, endedAt } = await sendAll(1_000, rate);
    expect(refused).toBe(1_000);
    expect(sent).toBeLessThan(24);
    // A pause of half a minute may begin when the minute ends.
    expect([endedAt >= 30_000, endedAt <= 95_000]).toEqual([true, true]);
  });

  it('are given up when the pause is too long, also where another that was under way is answered after the 429', async () => {
    const time = new VirtualTime(0);
    const limits = newLimits();
    const policy = {
      isRead: true,
      limitMs: 60_000,
      clock: time.computer,
      signal: new AbortController().signal,
      limits,
    };
    const sendOne = async (ms: number, outcome: Outcome) => {
      const attempt = async () => await time.pass(ms).then(() => outcome);
      return (await sendWithRetries(attempt, { ...policy, failureOf: (each) => each })).outcome;
    };
    const all = [sendOne(100, status(429, 3_600_000)), sendOne(200, undefined)];
    expect(await time.until(Promise.all(all))).toEqual([status(429, 3_600_000 - 100), undefined]);
    expect(time.now).toBe(200);
  });
});
