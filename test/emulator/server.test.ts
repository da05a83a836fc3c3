import { createClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { send } from './client.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ clock: createClock(Date.parse('2026-03-04T05:06:07.890Z')) });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

it.each(['/v2/nothing', '/v2/team_members', '/v1/team-members', '/v1/forms', '/v3/forms', ''])(
  'GET /api/external%s gets 404 with a page, not JSON',
  async (path) => {
    const response = await send(emulator, 'GET', path);
    expect([response.status, response.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(response.text).toContain("<h1>The page you were looking for doesn't exist.</h1>");
  },
);

it('a method that the document does not have gets 404', async () => {
  expect((await send(emulator, 'PUT', '/v2/forms')).status).toBe(404);
});

it('an empty id leads to the list', async () => {
  expect((await send(emulator, 'GET', '/v2/forms/')).data).toHaveProperty('forms');
  expect((await send(emulator, 'GET', '/v2/team-members/')).data).toHaveProperty('team_members');
});

it('a path that cannot be decoded gets 400', async () => {
  const headers = { 'X-Api-Key': emulator.apiKey };
  expect((await fetch(`${emulator.url}/api/external/v2/forms/%zz`, { headers })).status).toBe(400);
});

it('every response carries the Date of the emulator clock, errors and pages included', async () => {
  const responses = [
    await send(emulator, 'GET', '/v2/forms'),
    await send(emulator, 'GET', '/v2/forms/unknown'),
    await send(emulator, 'GET', '/v2/forms', { headers: { 'X-Api-Key': 'wrong' } }),
    await send(emulator, 'GET', '/v2/nothing'),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 401, 404]);
  for (const { headers } of responses) expect(headers['date']).toBe('Wed, 04 Mar 2026 05:06:07 GMT');
  expect(responses[0]?.headers['content-type']).toBe('application/json; charset=utf-8');
});

it('a body that is not JSON gets 400', async () => {
  const headers = { 'X-Api-Key': emulator.apiKey, 'Content-Type': 'application/json' };
  const response = await fetch(`${emulator.url}/api/external/v2/forms`, { method: 'POST', headers, body: '{"form":' });
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'Error occurred while parsing request parameters' },
  ]);
});

it('the last value of a parameter that comes twice counts', async () => {
  expect((await send(emulator, 'GET', '/v2/forms?order=wrong&order=desc')).status).toBe(200);
  expect((await send(emulator, 'GET', '/v2/forms?order=desc&order=wrong')).status).toBe(422);
});

it('accepts only the key that it was started with', async () => {
  const other = await startEmulator({ apiKey: 'another' });
  expect((await send(other, 'GET', '/v2/forms')).status).toBe(200);
  expect((await send(other, 'GET', '/v2/forms', { headers: { 'X-Api-Key': 'emulator-key' } })).status).toBe(401);
  await other.close();
});
