import { startEmulator, type Emulator, type FaultCondition, type FaultEffect } from '../../emulator/index.ts';
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
    [{ every: 3 }, [200, 200, 503, 200, 200, 503, 200]],
    [{ every: 2, times: 1 }, [200, 503, 200, 200]],
    [{ nth: 1, every: 2 }, [503, 200, 503, 200]],
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

describe('what a fault does', () => {
  const location = 'https://elsewhere.example.com/login?a=b';
  const typed = (type: string) => ({ 'content-type': `${type}; charset=utf-8` });

  it.each<[FaultEffect, number, string, Record<string, string>]>([
    [{ status: 429, body: { error: 'x' } }, 429, '{"error":"x"}', typed('application/json')],
    [{ status: 502, body: '<html>x</html>' }, 502, '<html>x</html>', typed('text/html')],
    [{ status: 502, body: 'x' }, 502, 'x', typed('text/plain')],
    [{ status: 200, body: '{}', headers: { 'content-type': 'a/b' } }, 200, '{}', { 'content-type': 'a/b' }],
    [{ status: 500, headers: { 'retry-after': '20' } }, 500, '', { 'retry-after': '20' }],
    [{ redirect: location }, 302, '', { location }],
  ])('%j replaces the response, and nothing is changed', async (effect, status, text, headers) => {
    emulator.fail({ with: effect });
    const response = await send(emulator, 'POST', '/v2/forms', { data: { form: { title: 'never made' } } });
    expect(response).toMatchObject({ status, text, headers });
    expect(response.headers).toHaveProperty('date');
    expect(emulator.workspace.forms).toHaveLength(1);
  });

  it('reset breaks the connection before a response', async () => {
    emulator.fail({ with: { reset: true } });
    await expect(statuses(1)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(emulator.requests[0]?.status).toBe(0);
  });

  it('malformed sends half of the JSON as if it were complete', async () => {
    emulator.fail({ with: { malformed: true } });
    const { status, headers, text } = await send(emulator, 'GET', '/v2/forms');
    expect([status, headers['content-length']]).toEqual([200, String(text.length)]);
    expect(text).toMatch(/^\{"forms":\[.*[^}]$/);
  });

  const getFile = async (signal?: AbortSignal): Promise<Response> => {
    const { id, name } = emulator.workspace.addFile({ name: 'a.bin', type: '', data: new Uint8Array(1_000).fill(7) });
    return await fetch(`${emulator.url}/object-store/${id}/${name}`, { signal });
  };

  it.each<[FaultEffect, string]>([
    [{ truncate: true }, 'terminated'],
    [{ hang: 'after headers' }, 'timeout'],
  ])('%j sends the headers, and not the whole body', async (effect, message) => {
    emulator.fail({ with: effect });
    const response = await getFile(AbortSignal.timeout(500));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000']);
    await expect(response.arrayBuffer()).rejects.toThrow(message);
  });

  it('drip sends bytes without end, or the real response at a pace', async () => {
    emulator.fail({ with: { drip: 1_000 } });
    const { headers, body } = await getFile();
    expect(headers.get('content-length')).toBeNull();
    let bytes = 0;
    for await (const chunk of body ?? []) if ((bytes += (chunk as Uint8Array).length) > 5_000) break;
    expect(bytes).toBeGreaterThan(5_000);

    emulator.fail({ with: { drip: 100, everyMs: 10 } });
    const started = performance.now();
    expect(new Uint8Array(await (await getFile()).arrayBuffer())).toEqual(new Uint8Array(1_000).fill(7));
    expect(performance.now() - started).toBeGreaterThanOrEqual(90);
  });

  it('hang never sends a response, and ends when the emulator closes', async () => {
    const other = await startEmulator();
    other.fail({ with: { hang: true } });
    const outcome = expect(send(other, 'GET', '/v2/forms')).rejects.toThrow('fetch failed');
    while (other.inFlight.now === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.close();
    await outcome;
    expect(other.requests[0]?.status).toBe(0);
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
    [{ drip: 20, everyMs: 300 }, 0, 300, 600, notFound],
    [{ drip: 1_000, everyMs: 10 }, 40, 40, 50, notFound],
    [{ drip: 1_000 }, 0, 5, Infinity, notFound],
    [{ hang: 'after headers' }, 0, Infinity, Infinity, notFound],
    [{ hang: true }, 0, Infinity, Infinity, { body: '' }],
    [{ malformed: true }, 0, 0, 0, { statusCode: 404, body: '{"error":"Form d' }],
    [{ status: 500, body: { error: 'x' } }, 0, 0, 0, { statusCode: 500, body: '{"error":"x"}' }],
  ])('%j with %i ms latency comes at once: silent %p ms, complete after %p ms', async (effect, latencyMs, ...rest) => {
    const [silentMs, totalMs, response] = rest;
    quiet.quirks.latencyMs = latencyMs;
    if (effect) quiet.fail({ with: effect });
    expect(await inject()).toMatchObject({ silentMs, totalMs, ...response });
  });
});
