import { createClock, runningClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { ids, range, send, type ResponseBody } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(NOW) });
});
afterEach(() => emulator.close());

describe('the log', () => {
  it('holds method, raw path, query, headers, body, status, answer and time of every request', async () => {
    await send(emulator, 'POST', '/v2/forms?a=%2F&b=1', {
      data: { form: { title: '' } },
      headers: { 'X-Extra': 'yes' },
    });
    const headers: unknown = expect.objectContaining({
      'x-api-key': 'emulator-key',
      'x-extra': 'yes',
      accept: 'application/json',
    });
    expect(emulator.requests).toEqual([
      {
        method: 'POST',
        path: '/api/external/v2/forms',
        query: { a: '/', b: '1' },
        headers,
        body: { form: { title: '' } },
        status: 422,
        responseBody: '{"error":"Title can\'t be blank"}',
        at: NOW,
      },
    ]);
  });

  it('keeps the path as it came over the wire', async () => {
    await send(emulator, 'GET', '/v2/forms/a%2Fb%20c%252e');
    expect(emulator.requests[0]?.path).toBe('/api/external/v2/forms/a%2Fb%20c%252e');
  });

  it('leaves the answers out when they are not to be recorded', async () => {
    const lean = await startEmulator({ recordBodies: false });
    await send(lean, 'GET', '/v2/forms');
    expect(lean.requests[0]).toMatchObject({ status: 200, responseBody: undefined });
    await lean.close();
  });
});

describe('onRequest', () => {
  it('is called before the answer is made: something can happen between two pages', async () => {
    const { id } = emulator.workspace.addForm({ title: 'x' });
    const made = range(4).map((number) => emulator.workspace.addSubmission(id, { createdAt: NOW + number }).id);
    const seen: unknown[] = [];
    emulator.onRequest((request) => {
      seen.push(request);
      if (request.query['page'] === '2') emulator.workspace.deleteSubmission(id, made[0] ?? '');
    });
    const path = `/v2/forms/${id}/submissions`;
    expect(ids((await send(emulator, 'GET', `${path}?page=1&page_size=2`)).data.submissions)).toEqual([
      made[0],
      made[1],
    ]);
    expect(ids((await send(emulator, 'GET', `${path}?page=2&page_size=2`)).data.submissions)).toEqual([made[3]]);
    expect(seen).toEqual([
      { method: 'GET', path: `/api/external${path}`, query: { page: '1', page_size: '2' }, index: 0 },
      { method: 'GET', path: `/api/external${path}`, query: { page: '2', page_size: '2' }, index: 1 },
    ]);
  });

  it('is waited for, and no longer called once it was removed', async () => {
    let calls = 0;
    const remove = emulator.onRequest(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      calls += 1;
    });
    await send(emulator, 'GET', '/v2/forms');
    expect(calls).toBe(1);
    remove();
    await send(emulator, 'GET', '/v2/forms');
    expect(calls).toBe(1);
  });

  it('can add a fault that meets the very request', async () => {
    emulator.onRequest(({ index }) => {
      if (index === 1) emulator.fail({ with: { status: 500 } });
    });
    expect((await send(emulator, 'GET', '/v2/forms')).status).toBe(200);
    expect((await send(emulator, 'GET', '/v2/forms')).status).toBe(500);
  });
});

describe('inFlight', () => {
  it('counts requests that are being answered at once', async () => {
    emulator.quirks.latencyMs = 50;
    await Promise.all(range(4).map(() => send(emulator, 'GET', '/v2/forms')));
    expect(emulator.inFlight).toEqual({ now: 0, max: 4 });
  });

  it('counts no longer what a client gave up', async () => {
    emulator.fail({ with: { hang: true } });
    await expect(send(emulator, 'GET', '/v2/forms', { timeout: 50 })).rejects.toThrow('timeout');
    while (emulator.inFlight.now > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(emulator.inFlight.max).toBe(1);
  });
});

describe('reset', () => {
  it('clears log, faults, quirks, listeners and the gauge, and keeps the workspace', async () => {
    const { quirks, requests } = emulator;
    let calls = 0;
    emulator.workspace.addForm({ title: 'stays' });
    emulator.fail({ when: { nth: 5 }, with: { status: 500 } });
    emulator.onRequest(() => {
      calls += 1;
    });
    quirks.noPagination = true;
    quirks.pageSizeCap = 1;
    await Promise.all([send(emulator, 'GET', '/v2/forms'), send(emulator, 'GET', '/v2/forms')]);
    emulator.reset();
    expect(requests).toEqual([]);
    expect(emulator.faults).toEqual([]);
    expect(emulator.inFlight).toEqual({ now: 0, max: 0 });
    const { data } = await send(emulator, 'GET', '/v2/forms?page=1');
    expect(data).toMatchObject({ total_count: 1, pagination: { page_size: 30 } });
    expect(calls).toBe(2);
  });
});

describe('starting and closing', () => {
  it('listens on 127.0.0.1 at a free port, or at the one that is asked for', async () => {
    expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const port = Number(new URL(emulator.url).port);
    await expect(startEmulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await emulator.close();
    const again = await startEmulator({ port });
    expect(again.url).toBe(`http://127.0.0.1:${port}`);
    await again.close();
  });

  it('without listening, requests are injected and answered alike', async () => {
    const quiet = await startEmulator({ listen: false });
    const { id } = quiet.workspace.addForm({ title: 'x' });
    const answer = await quiet.app.inject({ url: '/api/external/v2/forms', headers: { 'x-api-key': quiet.apiKey } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.date).toBeDefined();
    expect(answer.json<ResponseBody>().forms[0]?.attempt_url).toBe(`http://emulator.test/forms/${id}/attempt`);
    expect(quiet.inFlight).toEqual({ now: 0, max: 1 });
    expect(quiet.requests[0]).toMatchObject({ path: '/api/external/v2/forms', status: 200, responseBody: undefined });
    await quiet.close();
  });

  it('closes while a connection is kept alive', async () => {
    const response = await fetch(`${emulator.url}/api/external/v2/forms`);
    await response.text();
    await emulator.close();
    await expect(fetch(emulator.url)).rejects.toThrow();
  });
});

describe('clocks', () => {
  it('a created clock stands still until it is moved', () => {
    const clock = createClock(100);
    clock.advance(50);
    expect(clock.now()).toBe(150);
    clock.set(7);
    expect(clock.now()).toBe(7);
  });

  it('a running clock runs on from where it was set', async () => {
    const clock = runningClock();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(50);
    clock.set(1000);
    clock.advance(500);
    expect(clock.now()).toBeGreaterThanOrEqual(1500);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.now()).toBeGreaterThan(1510);
    expect(clock.now()).toBeLessThan(3000);
  });
});
