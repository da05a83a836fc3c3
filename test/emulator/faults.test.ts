import { startEmulator, type Emulator, type FaultEffect } from '../../emulator/index.ts';
import { range, send } from './client.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: { forms: [{ title: 'A form with a title of some length' }] } });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const statuses = async (count: number, path = '/v2/forms'): Promise<number[]> => {
  const seen: number[] = [];
  for (const _request of range(count)) seen.push((await send(emulator, 'GET', path)).status);
  return seen;
};

const broken = { status: 503 } as const;

describe('which requests a fault applies to', () => {
  it.each([
    [undefined, [503, 200, 200]],
    [{ nth: 3 }, [200, 200, 503, 200]],
    [{ nth: 2, times: 2 }, [200, 503, 503, 200]],
    [{ times: Infinity }, [503, 503, 503]],
    [{ every: 3 }, [200, 200, 503, 200, 200, 503, 200]],
    [{ every: 2, times: 1 }, [200, 503, 200, 200]],
    [{ nth: 1, every: 2 }, [503, 200, 503, 200]],
  ])('%j', async (when, expected) => {
    emulator.fail({ when, with: broken });
    expect(await statuses(expected.length)).toEqual(expected);
  });

  it('counts from when it was added, and only what matches', async () => {
    await statuses(2);
    emulator.fail({ when: { method: 'get', path: /\/forms$/, nth: 2 }, with: broken });
    expect(await statuses(1)).toEqual([200]);
    await send(emulator, 'POST', '/v2/forms', { data: {} });
    expect(await statuses(1, '/v2/team-members')).toEqual([200]);
    expect(await statuses(1)).toEqual([503]);
  });

  it('can match anything in the request, such as the page', async () => {
    emulator.fail({ when: { match: ({ query }) => query['page'] === '2', times: Infinity }, with: broken });
    expect([...(await statuses(1, '/v2/forms?page=1')), ...(await statuses(1, '/v2/forms?page=2'))]).toEqual([
      200, 503,
    ]);
  });

  it('the first in the list when several are due; each counts every matching request', async () => {
    emulator.fail({ when: { times: 2 }, with: { status: 500 } });
    emulator.fail({ when: { nth: 2, times: 2 }, with: { status: 501 } });
    expect(await statuses(5)).toEqual([500, 500, 501, 501, 200]);
  });

  it('none any more once it was removed', async () => {
    const remove = emulator.fail({ when: { times: Infinity }, with: broken });
    expect(await statuses(1)).toEqual([503]);
    remove();
    remove();
    expect(await statuses(1)).toEqual([200]);
    expect(emulator.faults).toHaveLength(0);
  });

  it('also one with a wrong key or to an unknown path', async () => {
    emulator.fail({ when: { times: 2 }, with: broken });
    expect((await send(emulator, 'GET', '/v2/forms', { headers: { 'X-Api-Key': 'wrong' } })).status).toBe(503);
    expect(await statuses(1, '/v2/nothing')).toEqual([503]);
  });
});

describe('what a fault does', () => {
  it.each<[FaultEffect, string, string | undefined]>([
    [{ status: 429, body: { error: 'Too many' } }, '{"error":"Too many"}', 'application/json; charset=utf-8'],
    [{ status: 502, body: '<html>Bad gateway</html>' }, '<html>Bad gateway</html>', 'text/html; charset=utf-8'],
    [{ status: 502, body: 'connect error' }, 'connect error', 'text/plain; charset=utf-8'],
    [{ status: 200, body: '{}', headers: { 'content-type': 'application/x' } }, '{}', 'application/x'],
    [{ status: 500, headers: { 'retry-after': '20' } }, '', undefined],
  ])('%j replaces the response, and nothing is changed', async (effect, text, type) => {
    emulator.fail({ with: effect });
    const response = await send(emulator, 'POST', '/v2/forms', { data: { form: { title: 'never made' } } });
    expect(response).toMatchObject({ status: 'status' in effect && effect.status, text });
    expect(response.headers['content-type']).toBe(type);
    expect(response.headers).toMatchObject('headers' in effect ? (effect.headers ?? {}) : {});
    expect(response.headers).toHaveProperty('date');
    expect(emulator.workspace.forms).toHaveLength(1);
    expect(emulator.requests[0]?.body).toEqual({ form: { title: 'never made' } });
  });

  it('redirect sends 302 with the address', async () => {
    emulator.fail({ with: { redirect: 'https://elsewhere.example.com/login?a=b' } });
    const { status, headers } = await send(emulator, 'GET', '/v2/forms');
    expect([status, headers['location']]).toEqual([302, 'https://elsewhere.example.com/login?a=b']);
  });

  it('delayMs sends the response after that time', async () => {
    emulator.fail({ with: { delayMs: 80 } });
    const started = performance.now();
    expect(await statuses(1)).toEqual([200]);
    expect(performance.now() - started).toBeGreaterThan(75);
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

  const get = async (path = '/api/external/v2/forms', signal?: AbortSignal): Promise<globalThis.Response> =>
    await fetch(emulator.url + path, { headers: { 'X-Api-Key': emulator.apiKey }, signal });

  const addFile = (): string => {
    const { id, name } = emulator.workspace.addFile({ name: 'a.bin', type: '', data: new Uint8Array(1_000).fill(7) });
    return `/object-store/${id}/${name}`;
  };

  it('truncate sends the headers and half of the body, of JSON and of a file', async () => {
    emulator.fail({ when: { times: 2 }, with: { truncate: true } });
    for (const path of ['/api/external/v2/forms', addFile()]) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(400);
      await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    }
  });

  it('drip sends the headers, and then bytes without end', async () => {
    emulator.fail({ with: { drip: 1_000 } });
    const cancel = new AbortController();
    const response = await get(undefined, cancel.signal);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    const body = response.body as AsyncIterable<Uint8Array> | null;
    let bytes = 0;
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > 5_000) break;
    }
    expect(bytes).toBeGreaterThan(5_000);
    cancel.abort();
  });

  it('drip with a pace sends the real response, so many bytes at a time', async () => {
    emulator.fail({ with: { drip: 100, everyMs: 20 } });
    const started = performance.now();
    const { data, headers } = await send(emulator, 'GET', '/v2/forms');
    expect(data.forms).toHaveLength(1);
    const pieces = Math.ceil(Number(headers['content-length']) / 100);
    expect(pieces).toBeGreaterThan(3);
    expect(performance.now() - started).toBeGreaterThanOrEqual((pieces - 1) * 20);
    expect(JSON.parse(emulator.requests[0]?.responseBody ?? '')).toEqual(data);
  });

  it('a file can arrive slowly, or its body never', async () => {
    emulator.fail({ with: { drip: 250, everyMs: 5 } });
    expect(new Uint8Array(await (await get(addFile())).arrayBuffer())).toEqual(new Uint8Array(1_000).fill(7));
    emulator.fail({ with: { hang: 'after headers' } });
    const response = await get(addFile(), AbortSignal.timeout(200));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000']);
    await expect(response.arrayBuffer()).rejects.toThrow('timeout');
  });

  it('hang never sends a response, and ends when the emulator closes', async () => {
    const other = await startEmulator();
    other.fail({ with: { hang: true } });
    const outcome = expect(send(other, 'GET', '/v2/forms')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    while (other.inFlight.now === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.close();
    await outcome;
    expect(other.requests[0]?.status).toBe(0);
  });
});

describe('faults without a connection (inject)', () => {
  let quiet: Emulator;

  beforeEach(async () => {
    quiet = await startEmulator({ listen: false });
  });
  afterEach(() => quiet.close());

  const inject = async () =>
    await quiet.inject({ url: '/api/external/v2/forms/x', headers: { 'x-api-key': quiet.apiKey } });

  it.each([{ reset: true }, { truncate: true }] as const)(
    '%j is an error that looks like a lost connection',
    async (effect) => {
      quiet.fail({ with: effect });
      await expect(inject()).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect((await inject()).statusCode).toBe(404);
      expect(quiet.inFlight.now).toBe(0);
    },
  );

  it.each<[FaultEffect, { silentMs: number; totalMs: number }]>([
    [{ delayMs: 60_000 }, { silentMs: 60_000, totalMs: 60_000 }],
    [
      { drip: 20, everyMs: 300 },
      { silentMs: 300, totalMs: 600 },
    ],
    [{ drip: 1_000 }, { silentMs: 5, totalMs: Infinity }],
    [{ hang: 'after headers' }, { silentMs: Infinity, totalMs: Infinity }],
  ])('%j comes at once, with the time it would have taken', async (effect, delivery) => {
    const real = await inject();
    expect(real).toMatchObject({ body: '{"error":"Form does not exist."}', silentMs: 0, totalMs: 0 });
    quiet.fail({ with: effect });
    const { statusCode, body, silentMs, totalMs } = await inject();
    expect([statusCode, body]).toEqual([404, real.body]);
    expect({ silentMs, totalMs }).toEqual(delivery);
  });

  it('hang comes at once, without a response', async () => {
    quiet.fail({ with: { hang: true } });
    expect(await inject()).toMatchObject({ body: '', totalMs: Infinity });
  });

  it('latency and a slow body add up', async () => {
    quiet.quirks.latencyMs = 40;
    quiet.fail({ with: { drip: 1_000, everyMs: 10 } });
    expect(await inject()).toMatchObject({ silentMs: 40, totalMs: 50 });
  });

  it('status, malformed and redirect are responses as over a connection', async () => {
    quiet.fail({ with: { status: 500, body: { error: 'x' } } });
    expect(await inject()).toMatchObject({ statusCode: 500, body: '{"error":"x"}' });
    quiet.fail({ with: { redirect: 'http://x.test/' } });
    expect(await inject()).toMatchObject({ statusCode: 302 });
    quiet.fail({ with: { malformed: true } });
    expect(await inject()).toMatchObject({ statusCode: 404, body: '{"error":"Form d' });
  });
});
