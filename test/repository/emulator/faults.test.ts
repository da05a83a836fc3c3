import { startEmulator, type Emulator, type FaultCondition, type FaultEffect } from '../../../emulator/index.ts';
import { range, send } from './client.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: { forms: [{ title: 'A form with a title of some length' }] } });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const statuses = async (count: number, path = '/v2/forms', method = 'GET'): Promise<number[]> => {
  const seen: number[] = [];
  for (const _request of range(count)) seen.push((await send(emulator, method, path)).status);
  return seen;
};

const broken = { status: 503 } as const;

describe('which requests a fault applies to', () => {
  it.each<[FaultCondition | undefined, number[]]>([
    [undefined, [503, 200, 200]],
    [{ nth: 3 }, [200, 200, 503, 200]],
    [{ nth: 2, times: 2 }, [200, 503, 503, 200]],
    [{ nth: 2, times: Infinity }, [200, 503, 503, 503]],
  ])('%j', async (when, expected) => {
    emulator.fail({ when, with: broken });
    expect(await statuses(expected.length)).toEqual(expected);
  });

  it('counts from when it was added, and only what matches', async () => {
    await statuses(2);
    const match = { match: ({ query }: { query: Record<string, string> }) => query['page'] !== '2' };
    emulator.fail({ when: { method: 'GET', path: /\/forms$/, ...match, nth: 2 }, with: broken });
    expect(await statuses(1)).toEqual([200]);
    expect(await statuses(1, '/v2/forms', 'POST')).toEqual([422]);
    expect(await statuses(1, '/v2/team-members')).toEqual([200]);
    expect(await statuses(1, '/v2/forms?page=2')).toEqual([200]);
    expect(await statuses(1)).toEqual([503]);
  });

  it('is the first in the list when several are due, until it is removed; each counts every matching request', async () => {
    const remove = emulator.fail({ when: { times: Infinity }, with: { status: 500 } });
    emulator.fail({ when: { nth: 2, times: 2 }, with: { status: 501 } });
    expect(await statuses(2)).toEqual([500, 500]);
    remove();
    expect(await statuses(3)).toEqual([501, 501, 200]);
  });
});

describe('faults without a connection', () => {
  let quiet: Emulator;

  beforeEach(async () => {
    quiet = await startEmulator({ listen: false });
  });
  afterEach(() => quiet.close());

  const inject = async () =>
    await quiet.inject({ url: '/api/external/v2/forms/x', headers: { 'x-api-key': quiet.apiKey } });

  it.each<FaultEffect>([{ reset: true }, { truncate: true }])('%j is a lost connection', async (effect) => {
    quiet.fail({ with: effect });
    await expect(inject()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await inject()).statusCode).toBe(404);
    expect(quiet.inFlight.now).toBe(0);
  });

  const notFound = { statusCode: 404, body: '{"error":"Form does not exist."}' };

  it.each<[FaultEffect | undefined, number, number, number, object]>([
    [undefined, 0, 0, 0, notFound],
    [{ delayMs: 60_000 }, 0, 60_000, 60_000, notFound],
    [{ drip: 1_000, everyMs: 10 }, 40, 40, 50, notFound],
    [{ hang: 'after headers' }, 0, Infinity, Infinity, notFound],
  ])('%j with %i ms latency comes at once: silent %p ms, complete after %p ms', async (effect, latencyMs, ...rest) => {
    const [silentMs, totalMs, response] = rest;
    quiet.quirks.latencyMs = latencyMs;
    if (effect) quiet.fail({ with: effect });
    expect(await inject()).toMatchObject({ silentMs, totalMs, ...response });
  });
});
