import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { systemClock, type Clock } from '../../nodes/NeetoForm/api/clock';
import { isPausedTooLong, notePause, notePauseReported, pauseOf } from '../../nodes/NeetoForm/polling/pause';
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

const newSession = (of = context) => new PollSession(of, clock, harness.url, { formsField: 'Form' });
const fail = (status: number, retryAfter: string, when = {}) =>
  harness.emulator.fail({ when, with: { status, headers: { 'retry-after': retryAfter } } });

describe('after a 429', () => {
  let session: PollSession;
  beforeEach(() => {
    session = newSession();
  });

  it('knows until when no request may be sent, and whether a poll has failed by it', async () => {
    fail(429, '300');
    expect([pauseOf(session), isPausedTooLong(session)]).toEqual([undefined, false]);
    await expect(session.readForms(1)).rejects.toThrow('rate');
    const until = harness.now + 300 * SECOND;
    harness.advance(SECOND);
    expect([pauseOf(session), isPausedTooLong(session), session.isTimeUp]).toEqual([
      { until, isReported: false },
      true,
      false,
    ]);
    notePauseReported(session);
    expect(pauseOf(newSession())).toEqual({ until, isReported: true });
    harness.advance(299 * SECOND);
    expect(pauseOf(newSession())).toBeUndefined();
  });

  it('sends nothing more in this poll when the pause is longer than the rest of its time, and says why', async () => {
    fail(429, '300');
    const other = newSession();
    await expect(other.readForms(1)).rejects.toThrow('rate');
    expect(isPausedTooLong(session)).toBe(true);
    await expect(session.readForms(1)).rejects.toMatchObject({
      httpCode: '429',
      failure: { retryAfterMs: 300 * SECOND },
    });
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it('waits for the end of a shorter pause', async () => {
    const stop = fail(429, '30', { every: 1 });
    await expect(newSession().readForms(1)).rejects.toThrow('rate');
    stop();
    harness.advance(10 * SECOND);
    const next = newSession();
    expect(isPausedTooLong(next)).toBe(false);
    const before = harness.now;
    await next.readForms(1);
    expect(harness.now - before).toBe(20 * SECOND);
  });

  it('waits until that time, whatever other requests return, and however short another 429 asks to wait', async () => {
    fail(429, '300');
    await Promise.allSettled([
      session.readForms(1),
      session.readSubmissions(harness.formId, { order: 'asc', page: 1 }),
    ]);
    const ends = () => pauseOf(newSession())?.until;
    const until = ends();
    expect(until).toBeGreaterThanOrEqual(harness.now + 290 * SECOND);
    await expect(newSession().readForms(1)).rejects.toThrow('rate');
    notePause(newSession(), { kind: 'status', status: 429, retryAfterMs: 5 * SECOND });
    expect(ends()).toBe(until);
  });

  it('honors it for an hour at most', async () => {
    fail(429, '864000');
    await expect(session.readForms(1)).rejects.toThrow('rate');
    expect(pauseOf(session)?.until).toBe(harness.now + 3_600 * SECOND);
  });

  it.each([503, 403])('means no status %d', async (status) => {
    fail(status, '300');
    await expect(session.readForms(1)).rejects.toThrow(NodeApiError);
    expect(pauseOf(session)).toBeUndefined();
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
