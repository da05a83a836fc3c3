import { createClock, runningClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { idsOf, range, send } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(NOW) });
});
afterEach(() => emulator.close());

const status = async (method: string, path: string): Promise<number> => (await send(emulator, method, path)).status;

it('logs the raw path, query, headers, bodies, status and time of every request', async () => {
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

it('answers like a web framework: unknown paths are a page, a path with an empty ID is the list', async () => {
  for (const path of ['/v2/nothing', '/v2/team_members', '/v1/team-members', '/v3/forms', ''])
    expect(await send(emulator, 'GET', path)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  expect(await status('PUT', '/v2/forms')).toBe(404);
  expect((await send(emulator, 'GET', '/v2/forms/')).data).toHaveProperty('forms');
  expect((await send(emulator, 'GET', '/v2/team-members/')).data).toHaveProperty('team_members');
  expect(await status('GET', '/v2/forms/%zz')).toBe(400);
  expect((await send(emulator, 'POST', '/v2/forms', { data: '{"form":' })).status).toBe(400);
});

it.each(['a/b', '../team-members/x', '%2e%2e', 'Grüße 🎉', '?page=1', '#top', '%25', 'x'.repeat(300)])(
  'finds the form with the ID %j, decoded exactly once',
  async (id) => {
    emulator.workspace.addForm({ id, title: 'hostile' });
    const path = `/v2/forms/${encodeURIComponent(id)}`;
    expect((await send(emulator, 'GET', path)).data).toMatchObject({ id, title: 'hostile' });
    expect((await send(emulator, 'GET', `${path}/submissions`)).data.submissions).toEqual([]);
  },
);

describe('onRequest', () => {
  it('is called before the response is made: something can happen between two pages', async () => {
    const { id } = emulator.workspace.addForm({ title: 'x' });
    const made = range(4).map((number) => emulator.workspace.addSubmission(id, { createdAt: NOW + number }).id);
    const path = `/v2/forms/${id}/submissions`;
    const seen: unknown[] = [];
    emulator.onRequest(async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(request);
      if (request.query['page'] === '2') emulator.workspace.deleteSubmission(id, made[0] ?? '');
    });
    const pages = [];
    for (const page of [1, 2])
      pages.push(idsOf((await send(emulator, 'GET', `${path}?page=${page}&page_size=2`)).data));
    expect(pages).toEqual([made.slice(0, 2), made.slice(3)]);
    const request = { method: 'GET', path: `/api/external${path}` };
    expect(seen).toEqual(
      range(2).map((index) => ({ ...request, query: { page: `${index + 1}`, page_size: '2' }, index })),
    );
  });

  it('can add a fault for the same request, and is not called any more once it was removed', async () => {
    const remove = emulator.onRequest(() => void emulator.fail({ with: { status: 500 } }));
    expect(await status('GET', '/v2/forms')).toBe(500);
    remove();
    expect(await status('GET', '/v2/forms')).toBe(200);
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
  emulator.fail({ when: { nth: 3 }, with: { status: 500 } });
  emulator.onRequest(() => void (calls += 1));
  Object.assign(emulator.quirks, { noPagination: true, pageSizeCap: 1 });
  await Promise.all([send(emulator, 'GET', '/v2/forms'), send(emulator, 'GET', '/v2/forms')]);
  emulator.reset();
  expect([emulator.requests, emulator.inFlight]).toEqual([[], { now: 0, max: 0 }]);
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

it('without listening, injected requests get the same responses, and their bodies are not logged', async () => {
  const quiet = await startEmulator({ listen: false });
  const { id } = quiet.workspace.addForm({ title: 'x' });
  const path = '/api/external/v2/forms';
  const { headers, body } = await quiet.inject({ url: path, headers: { 'x-api-key': quiet.apiKey } });
  expect(headers.date).toBeDefined();
  expect(JSON.parse(body)).toMatchObject({ forms: [{ attempt_url: `http://emulator.test/forms/${id}/attempt` }] });
  expect(quiet.inFlight).toEqual({ now: 0, max: 1 });
  expect(quiet.requests).toMatchObject([{ path, status: 200, responseBody: undefined }]);
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
