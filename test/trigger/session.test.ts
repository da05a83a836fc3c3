import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { systemClock, type Clock } from '../../nodes/NeetoForm/api/clock';
import { PollSession } from '../../nodes/NeetoForm/polling/session';
import { SECOND, type PollFunction } from './harness';
import { begin, harness } from './setup';

let context: IPollFunctions;
let clock: Clock;

beforeEach(async () => {
  const polls: PollFunction = async (given, computer) => {
    [context, clock] = [given, computer ?? systemClock];
    return await Promise.resolve(null);
  };
  await begin({ polls });
  await harness.poll();
});

const newSession = (of = context) => new PollSession(of, clock, harness.url, false);
const fail = (status: number, retryAfter: string, when = {}) =>
  harness.emulator.fail({ when, with: { status, headers: { 'retry-after': retryAfter } } });

describe('after a 429', () => {
  let session: PollSession;
  beforeEach(() => {
    session = newSession();
  });

  it('knows for how long no request may be sent, and whether a poll has failed by it', async () => {
    fail(429, '300');
    expect([session.pause, session.isTimeUp]).toEqual([undefined, false]);
    await expect(session.readForms(1)).rejects.toThrow('rate');
    harness.advance(SECOND);
    expect([session.pause, session.isTimeUp]).toEqual([{ ms: 299 * SECOND, isReported: false }, true]);
    session.notePauseReported();
    expect(newSession().pause).toEqual({ ms: 299 * SECOND, isReported: true });
    harness.advance(299 * SECOND);
    expect(newSession().pause).toBeUndefined();
  });

  it('begins no request in this poll when the wait is longer than the rest of its time', async () => {
    fail(429, '30', { every: 1 });
    await expect(session.readForms(1)).rejects.toThrow('rate');
    expect([session.pause?.ms, session.isTimeUp]).toEqual([30 * SECOND, true]);
    expect(newSession().isTimeUp).toBe(false);
  });

  it('waits until that time, whatever other requests return, and however short another 429 asks to wait', async () => {
    fail(429, '300');
    await Promise.allSettled([
      session.readForms(1),
      session.readSubmissions(harness.formId, { order: 'asc', page: 1 }),
    ]);
    const ends = () => harness.now + (newSession().pause?.ms ?? 0);
    const until = ends();
    expect(until).toBeGreaterThanOrEqual(harness.now + 290 * SECOND);
    await newSession().readForms(1);
    fail(429, '5', { every: 1 });
    await expect(newSession().readForms(1)).rejects.toThrow('rate');
    expect(ends()).toBeCloseTo(until);
  });

  it('honors it for an hour at most', async () => {
    fail(429, '864000');
    await expect(session.readForms(1)).rejects.toThrow('rate');
    expect(session.pause?.ms).toBe(3_600 * SECOND);
  });

  it.each([503, 403])('means no status %d', async (status) => {
    fail(status, '300');
    await expect(session.readForms(1)).rejects.toThrow(NodeApiError);
    expect(session.pause).toBeUndefined();
  });
});

it.each<[what: string, budget: unknown, seconds: number]>([
  ['of 45 seconds at most', () => 300 * SECOND, 36],
  ['that n8n gives it', () => 10 * SECOND, 8],
  ['of 45 seconds when n8n is too old to say', undefined, 36],
])('begins requests in four fifths of the time %s', (_, getPollBudgetMs, seconds) => {
  const session = newSession(Object.assign(Object.create(context) as IPollFunctions, { getPollBudgetMs }));
  harness.advance(seconds * SECOND - 1);
  expect(session.isTimeUp).toBe(false);
  harness.advance(1);
  expect(session.isTimeUp).toBe(true);
});

it('reads the list of forms in an order that stays the same, a hundred at a time', async () => {
  await newSession().readForms(2);
  expect(harness.emulator.requests.map(({ query }) => query)).toEqual([{ order: 'asc', page: '2', page_size: '100' }]);
});
