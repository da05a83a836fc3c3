import type { NoResponseReason, RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { Pause, RequestLimiter } from '../../nodes/NeetoForm/api/requestLimiter';
import { retryWait, sendWithRetries, type Attempt } from '../../nodes/NeetoForm/api/retry';

const first: Attempt = { isRead: true, attempts: 1, leftMs: 60_000, random: 0 };
const status = (code: number, retryAfterMs?: number): RequestFailure => ({
  kind: 'status',
  status: code,
  retryAfterMs,
});
const lost = (reason: NoResponseReason): RequestFailure => ({ kind: 'no response', reason });

const isTriedAgain = (fault: RequestFailure, isRead: boolean) => retryWait(fault, { ...first, isRead }) !== undefined;

describe('what is tried again', () => {
  it.each<[string, RequestFailure, read: boolean, write: boolean]>([
    ['500', status(500), true, false],
    ['503', status(503), true, false],
    ['400', status(400), false, false],
    ['404', status(404), false, false],
    ['a timeout', lost('timeout'), true, false],
    ['a reset', lost('connection lost'), true, false],
    ['a refused connection', lost('refused'), true, true],
    ['an unknown host', lost('unknown host'), true, true],
    ['broken JSON', { kind: 'unreadable', reason: 'broken JSON' }, false, false],
    ['a web page', { kind: 'unreadable', reason: 'web page' }, false, false],
    ['another shape', { kind: 'unreadable', reason: 'unexpected shape' }, false, false],
    ['a redirect', status(302), false, false],
    ['what was not sent', { kind: 'not sent', message: 'No' }, false, false],
    ['what was canceled', { kind: 'canceled' }, false, false],
  ])('%s', (_what, fault, read, write) => {
    expect([isTriedAgain(fault, true), isTriedAgain(fault, false)]).toEqual([read, write]);
  });

  it('a timeout once', () => {
    expect(retryWait(lost('timeout'), { ...first, attempts: 1 })).toBeDefined();
    expect(retryWait(lost('timeout'), { ...first, attempts: 2 })).toBeUndefined();
  });

  it('five times at most', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempts) => retryWait(status(503), { ...first, attempts }) !== undefined);
    expect(waits).toEqual([true, true, true, true, false, false]);
  });
});

describe('the wait before the next try', () => {
  it('is what the service asks for', () => {
    expect(retryWait(status(503, 7_000), first)).toBe(7_000);
    expect(retryWait(status(503, 0), first)).toBe(0);
  });

  it('doubles from half a second, spread by half to one', () => {
    const waits = (random: number) =>
      [1, 2, 3, 4].map((attempts) => retryWait(status(503), { ...first, attempts, random }));
    expect(waits(0)).toEqual([250, 500, 1_000, 2_000]);
    expect(waits(1)).toEqual([500, 1_000, 2_000, 4_000]);
  });

  it('may end exactly at the limit', () => {
    expect(retryWait(status(503, 20_000), { ...first, leftMs: 20_000 })).toBe(20_000);
    expect(retryWait(status(503, 20_001), { ...first, leftMs: 20_000 })).toBeUndefined();
  });
});

it('the time for retries begins when the request is first sent, not while it waits for its turn', async () => {
  let now = 0;
  const pass = async (ms: number) => await Promise.resolve((now += ms)).then(() => undefined);
  const { signal } = new AbortController();
  const clock = { now: () => now, sleep: pass, timeout: () => signal };
  const policy = { isRead: true, limitMs: 60_000, clock, signal, limiter: new RequestLimiter(undefined, 1) };
  const failureOf = (failure: RequestFailure | undefined) => failure;
  const outcomes = [undefined, status(503), undefined];
  const send = async () => {
    await pass(40_000);
    return outcomes.shift();
  };
  const [, second] = await Promise.all([1, 2].map(async () => await sendWithRetries(send, { ...policy, failureOf })));
  expect(second).toEqual({ outcome: undefined, attempts: 2 });
});

it('is not sent again during a pause that another request began meanwhile', async () => {
  const sentAt: number[] = [];
  let now = 0;
  const pause = new Pause();
  const { signal } = new AbortController();
  const sleep = async (ms: number) => {
    if (now === 0) pause.extend(now, 60_000);
    await Promise.resolve((now += ms));
  };
  const send = async () => (sentAt.push(now) === 1 ? status(500, 2_000) : undefined);
  const clock = { now: () => now, sleep, timeout: () => signal };
  const limits = { isRead: true, limitMs: 60_000, limiter: new RequestLimiter(pause) };
  await sendWithRetries(send, { ...limits, clock, signal, failureOf: (failure) => failure });
  expect(sentAt).toEqual([0, 60_000]);
});
