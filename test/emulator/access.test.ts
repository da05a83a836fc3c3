import { createClock, startEmulator, type Emulator } from '../../emulator/index.ts';
import { send } from './wire.ts';

let emulator: Emulator;
let id: string;

beforeAll(async () => {
  emulator = await startEmulator({ clock: createClock(Date.parse('2026-03-04T05:06:07.890Z')) });
  id = emulator.workspace.members[0]?.id ?? '';
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

describe('authentication', () => {
  const operations = [
    'GET /v2/forms',
    'POST /v2/forms',
    'GET /v2/forms/x',
    'GET /v2/forms/x/submissions',
    'GET /v2/team-members',
    'GET /v2/team-members/x',
    'POST /v2/team-members',
    'PATCH /v2/team-members/x',
    'DELETE /v2/team-members/x',
    'GET /v1/team_members',
    'DELETE /v1/team_members',
  ];

  it.each(operations)('%s with a wrong key answers 401', async (operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const answer = await send(emulator, method as 'GET', path, { headers: { 'X-Api-Key': 'wrong' } });
    expect(answer.status).toBe(401);
    expect(answer.data).toEqual({ error: 'Could not authenticate, invalid API Key' });
  });

  it('GET /forms without a key answers 401', async () => {
    const response = await fetch(`${emulator.url}/api/external/v2/forms`);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: 'Could not authenticate, invalid API Key' });
  });

  it('an emulator started with a key of its own takes that one only', async () => {
    const other = await startEmulator({ apiKey: 'another' });
    expect((await send(other, 'GET', '/v2/forms')).status).toBe(200);
    expect((await send(other, 'GET', '/v2/forms', { headers: { 'X-Api-Key': 'emulator-key' } })).status).toBe(401);
    await other.close();
  });

  it('a wrong key is told before a wrong Accept header', async () => {
    const answer = await send(emulator, 'GET', '/v2/team-members', {
      headers: { 'X-Api-Key': 'wrong', Accept: 'text/html' },
    });
    expect(answer.status).toBe(401);
  });
});

describe('the Accept header', () => {
  const strict = (): Array<['GET' | 'DELETE', string]> => [
    ['GET', '/v2/team-members'],
    ['GET', `/v2/team-members/${id}`],
    ['DELETE', `/v2/team-members/${id}`],
    ['GET', '/v1/team_members'],
    ['DELETE', '/v1/team_members'],
  ];

  it.each([0, 1, 2, 3, 4])('operation %i that requires it answers 406 without application/json', async (index) => {
    const [method, path] = strict()[index] ?? ['GET', ''];
    for (const accept of ['*/*', 'text/html', 'application/xml']) {
      const answer = await send(emulator, method, path, { headers: { Accept: accept } });
      expect(answer.status).toBe(406);
      expect(answer.data).toEqual({ error: 'Accept header must be application/json' });
    }
    expect(emulator.workspace.members[0]?.active).toBe(true);
  });

  it('a list of types that names application/json will do', async () => {
    const answer = await send(emulator, 'GET', '/v2/team-members', {
      headers: { Accept: 'application/json;q=0.9, text/plain' },
    });
    expect(answer.status).toBe(200);
  });

  it('is not required for forms, for adding and for updating', async () => {
    const headers = { Accept: '*/*' };
    expect((await send(emulator, 'GET', '/v2/forms', { headers })).status).toBe(200);
    expect((await send(emulator, 'PATCH', `/v2/team-members/${id}`, { headers, data: {} })).status).toBe(200);
    expect(
      (await send(emulator, 'POST', '/v2/team-members', { headers, data: { emails: ['n@example.com'] } })).status,
    ).toBe(200);
  });
});

describe('paths and versions', () => {
  it.each(['/v2/nothing', '/v2/team_members', '/v1/team-members', '/v1/forms', '/v3/forms', ''])(
    'GET /api/external%s answers 404 with a page, not JSON',
    async (path) => {
      const answer = await send(emulator, 'GET', path);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.data).toContain("<h1>The page you were looking for doesn't exist.</h1>");
    },
  );

  it.each(['PUT', 'DELETE', 'PATCH'] as const)('%s /forms answers 404 with a page', async (method) => {
    expect((await send(emulator, method, '/v2/forms')).status).toBe(404);
  });

  it('an empty id leads to the list: GET /forms/ and GET /team-members/', async () => {
    expect((await send(emulator, 'GET', '/v2/forms/')).data).toHaveProperty('forms');
    expect((await send(emulator, 'GET', '/v2/team-members/')).data).toHaveProperty('team_members');
  });

  it('a path that cannot be decoded answers 400', async () => {
    const response = await fetch(`${emulator.url}/api/external/v2/forms/%zz`, {
      headers: { 'X-Api-Key': emulator.apiKey },
    });
    expect(response.status).toBe(400);
  });
});

describe('every answer', () => {
  it('carries the Date of the emulator clock, errors and pages included', async () => {
    const answers = [
      await send(emulator, 'GET', '/v2/forms'),
      await send(emulator, 'GET', '/v2/forms/unknown'),
      await send(emulator, 'GET', '/v2/forms', { headers: { 'X-Api-Key': 'wrong' } }),
      await send(emulator, 'GET', '/v2/nothing'),
      await send(emulator, 'POST', '/v2/forms', { data: {} }),
    ];
    for (const answer of answers) expect(answer.headers['date']).toBe('Wed, 04 Mar 2026 05:06:07 GMT');
  });

  it('is JSON', async () => {
    expect((await send(emulator, 'GET', '/v2/forms')).headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('follows from unknown query parameters being ignored', async () => {
    expect((await send(emulator, 'GET', '/v2/forms?page_number=1&color=red&page[]=2')).status).toBe(200);
  });

  it('takes the last value of a parameter that comes twice', async () => {
    expect((await send(emulator, 'GET', '/v2/forms?order=wrong&order=desc')).status).toBe(200);
    expect((await send(emulator, 'GET', '/v2/forms?order=desc&order=wrong')).status).toBe(422);
  });

  it('to a body that is not JSON is 400 with an error', async () => {
    const answer = await fetch(`${emulator.url}/api/external/v2/forms`, {
      method: 'POST',
      headers: { 'X-Api-Key': emulator.apiKey, 'Content-Type': 'application/json' },
      body: '{"form":',
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('date')).toBe('Wed, 04 Mar 2026 05:06:07 GMT');
    expect(await answer.json()).toEqual({ error: 'Error occurred while parsing request parameters' });
  });

  it('to a body that is no object is a refusal', async () => {
    for (const data of ['[]', '"text"', 'null', '7']) {
      const answer = await send(emulator, 'POST', '/v2/forms', {
        headers: { 'Content-Type': 'application/json' },
        data,
      });
      expect(answer.status).toBe(422);
    }
  });
});
