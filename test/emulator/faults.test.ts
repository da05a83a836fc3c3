import axios, { AxiosError } from 'axios';
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

describe('which requests a fault meets', () => {
  it('the next one, by default', async () => {
    emulator.fail({ with: broken });
    expect(await statuses(3)).toEqual([503, 200, 200]);
  });

  it('the nth that matches', async () => {
    emulator.fail({ when: { nth: 3 }, with: broken });
    expect(await statuses(5)).toEqual([200, 200, 503, 200, 200]);
  });

  it('so many from the nth on', async () => {
    emulator.fail({ when: { nth: 2, times: 2 }, with: broken });
    expect(await statuses(5)).toEqual([200, 503, 503, 200, 200]);
  });

  it('every nth, without end or so many times', async () => {
    emulator.fail({ when: { every: 3 }, with: broken });
    expect(await statuses(7)).toEqual([200, 200, 503, 200, 200, 503, 200]);
    emulator.reset();
    emulator.fail({ when: { every: 2, times: 1 }, with: broken });
    expect(await statuses(4)).toEqual([200, 503, 200, 200]);
  });

  it('every nth counted from a first one', async () => {
    emulator.fail({ when: { nth: 1, every: 2 }, with: broken });
    expect(await statuses(4)).toEqual([503, 200, 503, 200]);
  });

  it('counts from when it was added, and only what matches', async () => {
    await statuses(2);
    emulator.fail({ when: { path: /\/forms$/, nth: 2 }, with: broken });
    expect(await statuses(1)).toEqual([200]);
    expect(await statuses(1, '/v2/team-members')).toEqual([200]);
    expect(await statuses(1)).toEqual([503]);
  });

  it('by method', async () => {
    emulator.fail({ when: { method: 'post' }, with: broken });
    expect(await statuses(1)).toEqual([200]);
    expect((await send(emulator, 'POST', '/v2/forms', { data: {} })).status).toBe(503);
  });

  it('by anything in the request, such as the page', async () => {
    emulator.fail({ when: { match: ({ query }) => query['page'] === '2', times: Infinity }, with: broken });
    expect(await statuses(2, '/v2/forms?page=1')).toEqual([200, 200]);
    expect(await statuses(2, '/v2/forms?page=2')).toEqual([503, 503]);
  });

  it('the first in the list when several are due; each counts every matching request', async () => {
    emulator.fail({ when: { times: 2 }, with: { status: 500 } });
    emulator.fail({ when: { nth: 2, times: 2 }, with: { status: 501 } });
    expect(await statuses(5)).toEqual([500, 500, 501, 501, 200]);
  });

  it('none any more once it was removed', async () => {
    const remove = emulator.fail({ when: { times: Infinity }, with: broken });
    expect(await statuses(1)).toEqual([503]);
    expect(emulator.faults).toHaveLength(1);
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
  const failure = async (effect: FaultEffect, timeout?: number): Promise<AxiosError> => {
    emulator.fail({ with: effect });
    const error: unknown = await send(emulator, 'GET', '/v2/forms', { timeout }).catch((reason: unknown) => reason);
    if (!(error instanceof AxiosError)) throw new Error('The request did not fail');
    return error;
  };

  it('status with an object answers JSON', async () => {
    emulator.fail({ with: { status: 429, body: { error: 'Too many' }, headers: { 'Retry-After': '20' } } });
    const answer = await send(emulator, 'GET', '/v2/forms');
    expect(answer.status).toBe(429);
    expect(answer.data).toEqual({ error: 'Too many' });
    expect(answer.headers['retry-after']).toBe('20');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['date']).toBeDefined();
  });

  it.each([
    ['<html><body>Bad gateway</body></html>', 'text/html; charset=utf-8'],
    ['upstream connect error', 'text/plain; charset=utf-8'],
  ])('status with the text %j answers it as it is', async (body, type) => {
    emulator.fail({ with: { status: 502, body } });
    const answer = await send(emulator, 'GET', '/v2/forms');
    expect([answer.status, answer.data, answer.headers['content-type']]).toEqual([502, body, type]);
  });

  it('status alone has no body', async () => {
    emulator.fail({ with: { status: 500 } });
    const answer = await send(emulator, 'GET', '/v2/forms');
    expect([answer.status, answer.data, answer.headers['content-length']]).toEqual([500, '', '0']);
  });

  it('a request that a status met changed nothing', async () => {
    emulator.fail({ with: { status: 504 } });
    await send(emulator, 'POST', '/v2/forms', { data: { form: { title: 'never made' } } });
    expect(emulator.workspace.forms.map(({ title }) => title)).not.toContain('never made');
    expect(emulator.requests[0]?.body).toEqual({ form: { title: 'never made' } });
  });

  it('delayMs answers after that time', async () => {
    emulator.fail({ with: { delayMs: 80 } });
    const started = performance.now();
    expect(await statuses(1)).toEqual([200]);
    expect(performance.now() - started).toBeGreaterThan(75);
  });

  it('reset breaks the connection before an answer', async () => {
    expect((await failure({ reset: true })).code).toBe('ECONNRESET');
    expect(emulator.requests[0]?.status).toBe(0);
  });

  it('truncate sends the headers and half of the body', async () => {
    const error = await failure({ truncate: true });
    expect(['ECONNRESET', 'ERR_BAD_RESPONSE']).toContain(error.code);
    expect(error.message).toMatch(/aborted/);

    emulator.fail({ with: { truncate: true } });
    const response = await fetch(`${emulator.url}/api/external/v2/forms`, {
      headers: { 'X-Api-Key': emulator.apiKey },
    });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(400);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('malformed answers 200 with half of the JSON as if it were whole', async () => {
    emulator.fail({ with: { malformed: true } });
    const response = await fetch(`${emulator.url}/api/external/v2/forms`, {
      headers: { 'X-Api-Key': emulator.apiKey },
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(text).toMatch(/^\{"forms":\[/);
    expect(() => {
      JSON.parse(text);
    }).toThrow(SyntaxError);
  });

  it('redirect answers 302 with that address', async () => {
    emulator.fail({ with: { redirect: 'https://elsewhere.example.com/login?a=b' } });
    const answer = await send(emulator, 'GET', '/v2/forms');
    expect([answer.status, answer.headers['location']]).toEqual([302, 'https://elsewhere.example.com/login?a=b']);
  });

  it('drip sends the headers, and then bytes without end', async () => {
    emulator.fail({ with: { drip: 1_000 } });
    const cancel = new AbortController();
    const response = await fetch(`${emulator.url}/api/external/v2/forms`, {
      headers: { 'X-Api-Key': emulator.apiKey },
      signal: cancel.signal,
    });
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
    const { id } = emulator.workspace.addFile({ name: 'a.bin', type: '', data: new Uint8Array(1_000).fill(7) });
    emulator.fail({ when: { path: /^\/object-store/ }, with: { drip: 250, everyMs: 5 } });
    const slow = await fetch(`${emulator.url}/object-store/${id}/a.bin`);
    expect(new Uint8Array(await slow.arrayBuffer())).toEqual(new Uint8Array(1_000).fill(7));

    emulator.fail({ when: { path: /^\/object-store/ }, with: { hang: 'after headers' } });
    const response = await fetch(`${emulator.url}/object-store/${id}/a.bin`, { signal: AbortSignal.timeout(200) });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000']);
    await expect(response.arrayBuffer()).rejects.toThrow('timeout');
  });

  it('hang never answers', async () => {
    expect((await failure({ hang: true }, 100)).code).toBe('ECONNABORTED');
    expect(emulator.requests[0]?.status).toBe(0);
  });

  it('hang ends when the emulator closes', async () => {
    const other = await startEmulator();
    other.fail({ with: { hang: true } });
    const request = axios.get(`${other.url}/api/external/v2/forms`);
    const outcome = expect(request).rejects.toMatchObject({ code: 'ECONNRESET' });
    while (other.inFlight.now === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.close();
    await outcome;
  });
});

describe('faults without a connection (inject)', () => {
  let quiet: Emulator;

  beforeEach(async () => {
    quiet = await startEmulator({ listen: false });
  });
  afterEach(() => quiet.close());

  const inject = async (): Promise<{ status: number; body: string }> => {
    const answer = await quiet.app.inject({ url: '/api/external/v2/forms', headers: { 'x-api-key': quiet.apiKey } });
    return { status: answer.statusCode, body: answer.body };
  };

  it.each([{ reset: true }, { truncate: true }] as const)(
    '%j is an error that looks like a lost connection',
    async (effect) => {
      quiet.fail({ with: effect });
      await expect(inject()).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect((await inject()).status).toBe(200);
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
    const request = { url: '/api/external/v2/forms/x', headers: { 'x-api-key': quiet.apiKey } };
    const real = await quiet.inject(request);
    expect(real).toMatchObject({ statusCode: 404, silentMs: 0, totalMs: 0 });
    expect(real.body).toHaveLength(32);
    quiet.fail({ with: effect });
    const { statusCode, body, silentMs, totalMs } = await quiet.inject(request);
    expect([statusCode, body]).toEqual([real.statusCode, real.body]);
    expect({ silentMs, totalMs }).toEqual(delivery);
  });

  it('hang comes at once, without a response', async () => {
    quiet.fail({ with: { hang: true } });
    expect(await quiet.inject({ url: '/api/external/v2/forms' })).toMatchObject({ body: '', totalMs: Infinity });
  });

  it('latency and a slow body add up', async () => {
    quiet.quirks.latencyMs = 40;
    quiet.fail({ with: { drip: 1_000, everyMs: 10 } });
    expect(await quiet.inject({ url: '/' })).toMatchObject({ silentMs: 40, totalMs: 50 });
  });

  it('status, malformed and redirect are answers as over a connection', async () => {
    quiet.fail({ with: { status: 500, body: { error: 'x' } } });
    expect(await inject()).toEqual({ status: 500, body: '{"error":"x"}' });
    quiet.fail({ with: { redirect: 'http://x.test/' } });
    expect((await inject()).status).toBe(302);
    quiet.fail({ with: { malformed: true } });
    const { status, body } = await inject();
    expect(status).toBe(200);
    expect(() => {
      JSON.parse(body);
    }).toThrow(SyntaxError);
  });
});
