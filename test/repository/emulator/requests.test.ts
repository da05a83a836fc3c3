import { compileDocument, compiled, document } from '../../../emulator/http/document.ts';
import { startEmulator, type Emulator } from '../../../emulator/index.ts';
import { validateExchanges } from '../../support/openapi.ts';
import { send } from './client.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ seed: { forms: [{ title: 'x' }] } });
});
afterEach(() => emulator.close());

it('is described by valid OpenAPI 3.1', async () => {
  await expect(compileDocument(document, true)).resolves.toBeDefined();
  expect(document.openapi).toMatch(/^3\.1\./);
});

it('refuses a wrong key first, and then an Accept header without application/json if the operation needs one', async () => {
  for (const { method, path, parameters = [] } of (await compiled).getOperations()) {
    const url = path.replace('/api/external', '').replace(/\{\w+\}/, 'x');
    const respond = async (headers: Record<string, string>) =>
      (await send(emulator, method.toUpperCase(), `${url}?order=wrong&page=0`, { headers })).status;
    expect(await respond({ 'X-Api-Key': 'wrong', Accept: 'text/html' })).toBe(401);
    const isNeeded = parameters.some((parameter) => 'name' in parameter && parameter.name === 'Accept');
    expect((await respond({ Accept: '*/*' })) === 406).toBe(isNeeded);
    expect(await respond({ Accept: 'text/plain, application/json;q=0.9' })).not.toBe(406);
  }
});

it.each<[string, string, unknown, string]>([
  ['GET', '/v2/forms?order=newest', undefined, 'order must be asc or desc.'],
  ['GET', '/v2/forms?page=0', undefined, 'page must be >= 1'],
  ['GET', '/v2/forms?page_size=', undefined, 'page_size must be integer'],
  ['POST', '/v2/forms', undefined, "must have required property 'requestBody'"],
  ['POST', '/v2/forms', { form: { title: '  ' } }, "Title can't be blank"],
  ['POST', '/v2/forms', { form: { title: 'x', name: 'x' } }, 'Unknown field: name'],
  ['POST', '/v2/team-members', {}, "Emails can't be blank"],
  ['POST', '/v2/team-members', { emails: ['a@example.com', 'x'] }, 'emails.1 must match format "email"'],
  ['PATCH', '/v2/team-members/x', { time_zone: 'Mars/Olympus' }, 'Time zone is invalid'],
])('refuses %s %s %j: %s', async (method, path, data, error) => {
  expect(await send(emulator, method, path, { data })).toMatchObject({ status: 422, data: { error } });
  expect(emulator.workspace.forms).toHaveLength(1);
});

it('shows who created a form: the member whose address was given, or else the first admin', async () => {
  const created = async (more: object) => {
    await send(emulator, 'POST', '/v2/forms', { data: { form: { title: 'New', ...more } } });
    return emulator.workspace.forms.at(-1)?.createdBy;
  };
  expect(await created({ created_by_email: 'eve@example.com' })).toBe('eve@example.com');
  expect(await created({})).toBe('admin@example.com');
});

it('adds a former member again as the same member, active, with the new role', async () => {
  const { id } = emulator.workspace.addMember({ email: 'eve@example.com', organizationRole: 'Editor' });
  expect((await send(emulator, 'DELETE', `/v2/team-members/${id}`)).status).toBe(204);
  expect((await send(emulator, 'GET', `/v2/team-members/${id}`)).status).toBe(404);
  const data = { emails: ['Eve@example.com'], organization_role: 'Reviewer' };
  expect((await send(emulator, 'POST', '/v2/team-members', { data })).status).toBe(200);
  expect(emulator.workspace.members.slice(1)).toMatchObject([{ id, active: true, organizationRole: 'Reviewer' }]);
});

it('responds like a web framework: a page for unknown paths, the list for a path with an empty ID', async () => {
  for (const path of ['/v2/nothing', '/v2/team_members', '/v1/team-members', ''])
    expect(await send(emulator, 'GET', path)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  expect((await send(emulator, 'GET', '/v2/forms/')).data).toHaveProperty('forms');
  expect((await send(emulator, 'GET', '/v2/forms/%zz')).status).toBe(400);
});

it('resets requests, faults, quirks and listeners, and keeps the workspace', async () => {
  emulator.fail({ when: { nth: 3 }, with: { status: 500 } });
  emulator.onRequest(({ path }) => void emulator.workspace.addForm({ title: path }));
  emulator.quirks.noPagination = true;
  await Promise.all([send(emulator, 'GET', '/v2/forms'), send(emulator, 'GET', '/v2/forms')]);
  emulator.reset();
  expect([emulator.requests, emulator.inFlight]).toEqual([[], { now: 0, max: 0 }]);
  expect((await send(emulator, 'GET', '/v2/forms')).data.total_count).toBe(3);
});

it.each<[string, Partial<Emulator['requests'][number]>, RegExp]>([
  ['an unknown path', { path: '/api/external/v2/form' }, /no such operation/],
  ['an unknown query parameter', { query: { page_number: '1' } }, /page_number/],
  ['a page size above 100', { query: { page: '1', page_size: '101' } }, /page_size/],
  ['a body where none is taken', { body: {} }, /takes no body/],
  ['a missing key', { headers: {} }, /x-api-key/],
  ['an undocumented status', { status: 201 }, /status 201 is not described/],
  ['another response', { responseBody: '{"forms":[]}' }, /pagination/],
])('the validation of requests and responses finds %s', async (_title, change, problem) => {
  await send(emulator, 'GET', '/v2/forms?page=1');
  const [exchange] = emulator.requests;
  if (!exchange) throw new Error('Nothing was logged');
  expect(await validateExchanges([exchange])).toEqual([]);
  expect(await validateExchanges([{ ...exchange, ...change }])).toEqual([expect.stringMatching(problem)]);
});
