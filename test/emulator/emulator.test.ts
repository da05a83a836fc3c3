import { createClock, runningClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { ids, range, send } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(NOW) });
});
afterEach(() => emulator.close());

describe('requests', () => {
  it('has the raw path, query, headers, bodies, status and time of every request', async () => {
    await send(emulator, 'POST', '/v2//forms?a=%2F&b=1', { data: { form: {} }, headers: { 'X-Extra': 'yes' } });
    await send(emulator, 'GET', '/v2/forms/a%2Fb%20c%252e');
    const headers: unknown = expect.objectContaining({ 'x-api-key': 'emulator-key', 'x-extra': 'yes' });
    expect(emulator.requests[0]).toEqual({
      method: 'POST',
      path: '/api/external/v2//forms',
      query: { a: '/', b: '1' },
      headers,
      body: { form: {} },
      status: 422,
      responseBody: '{"error":"Title can\'t be blank"}',
      at: NOW,
    });
    expect(emulator.requests[1]?.path).toBe('/api/external/v2/forms/a%2Fb%20c%252e');
  });

  it('has no response bodies if they are not recorded', async () => {
    const lean = await startEmulator({ recordBodies: false });
    await send(lean, 'GET', '/v2/forms');
    expect(lean.requests[0]).toMatchObject({ status: 200, responseBody: undefined });
    await lean.close();
  });
});

describe('onRequest', () => {
  it('is called before the response is made: something can happen between two pages', async () => {
    const { id } = emulator.workspace.addForm({ title: 'x' });
    const made = range(4).map((number) => emulator.workspace.addSubmission(id, { createdAt: NOW + number }).id);
    const seen: unknown[] = [];
    emulator.onRequest(async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(request);
      if (request.query['page'] === '2') emulator.workspace.deleteSubmission(id, made[0] ?? '');
    });
    const path = `/v2/forms/${id}/submissions`;
    const pages = [];
    for (const page of ['1', '2'])
      pages.push(ids((await send(emulator, 'GET', `${path}?page=${page}&page_size=2`)).data.submissions));
    expect(pages).toEqual([[made[0], made[1]], [made[3]]]);
    expect(seen).toEqual(
      ['1', '2'].map((page, index) => ({
        method: 'GET',
        path: `/api/external${path}`,
        query: { page, page_size: '2' },
        index,
      })),
    );
  });

  it('can add a fault for the same request, and is not called any more once it was removed', async () => {
    const remove = emulator.onRequest(() => {
      emulator.fail({ with: { status: 500 } });
    });
    expect((await send(emulator, 'GET', '/v2/forms')).status).toBe(500);
    remove();
    expect((await send(emulator, 'GET', '/v2/forms')).status).toBe(200);
  });
});

describe('inFlight', () => {
  it('counts requests that have no response yet', async () => {
    emulator.quirks.latencyMs = 50;
    await Promise.all(range(4).map(() => send(emulator, 'GET', '/v2/forms')));
    expect(emulator.inFlight).toEqual({ now: 0, max: 4 });
  });

  it('no longer counts what a client aborted', async () => {
    emulator.fail({ with: { hang: true } });
    await expect(send(emulator, 'GET', '/v2/forms', { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
    while (emulator.inFlight.now > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(emulator.inFlight.max).toBe(1);
  });
});

it('reset clears requests, faults, quirks, listeners and inFlight, and keeps the workspace', async () => {
  let calls = 0;
  emulator.workspace.addForm({ title: 'stays' });
  emulator.fail({ when: { nth: 5 }, with: { status: 500 } });
  emulator.onRequest(() => {
    calls += 1;
  });
  Object.assign(emulator.quirks, { noPagination: true, pageSizeCap: 1 });
  await Promise.all([send(emulator, 'GET', '/v2/forms'), send(emulator, 'GET', '/v2/forms')]);
  emulator.reset();
  expect([emulator.requests, emulator.faults, emulator.inFlight]).toEqual([[], [], { now: 0, max: 0 }]);
  const { data } = await send(emulator, 'GET', '/v2/forms?page=1');
  expect(data).toMatchObject({ total_count: 1, pagination: { page_size: 30 } });
  expect(calls).toBe(2);
});

it('listens on 127.0.0.1 at a free port or at a given one, and closes with open connections', async () => {
  expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const port = Number(new URL(emulator.url).port);
  await expect(startEmulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await (await fetch(`${emulator.url}/api/external/v2/forms`)).text();
  await emulator.close();
  await expect(fetch(emulator.url)).rejects.toThrow();
  const again = await startEmulator({ port });
  expect(again.url).toBe(`http://127.0.0.1:${port}`);
  await again.close();
});

it('without listening, injected requests get the same responses', async () => {
  const quiet = await startEmulator({ listen: false });
  const { id } = quiet.workspace.addForm({ title: 'x' });
  const { headers, body } = await quiet.inject({
    url: '/api/external/v2/forms',
    headers: { 'x-api-key': quiet.apiKey },
  });
  expect(headers.date).toBeDefined();
  expect(JSON.parse(body)).toMatchObject({ forms: [{ attempt_url: `http://emulator.test/forms/${id}/attempt` }] });
  expect(quiet.inFlight).toEqual({ now: 0, max: 1 });
  expect(quiet.requests[0]).toMatchObject({ path: '/api/external/v2/forms', status: 200, responseBody: undefined });
  await quiet.close();
});

it('a created clock stands still until it is moved, a running one continues from where it was set', async () => {
  const clock = createClock(100);
  clock.advance(50);
  expect(clock.now()).toBe(150);
  clock.set(7);
  expect(clock.now()).toBe(7);

  const running = runningClock();
  expect(Math.abs(running.now() - Date.now())).toBeLessThan(50);
  running.set(1000);
  running.advance(500);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(running.now()).toBeGreaterThan(1510);
  expect(running.now()).toBeLessThan(3000);
});
