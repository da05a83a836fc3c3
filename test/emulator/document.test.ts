import { compileDocument, document } from '../../emulator/http/document.ts';
import { startEmulator, type Emulator } from '../../emulator/index.ts';
import { validateExchanges } from '../support/openapi.ts';
import { send } from './client.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ seed: { forms: [{ title: 'x' }] } });
});
afterEach(() => emulator.close());

it('is valid OpenAPI 3.1', async () => {
  await expect(compileDocument(document, true)).resolves.toBeDefined();
  expect(document.openapi).toMatch(/^3\.1\./);
});

it('every operation refuses a wrong key first, and then an Accept header without application/json if it needs one', async () => {
  for (const { method, path, parameters = [] } of (await compileDocument(document)).getOperations()) {
    const url = path.replace('/api/external', '').replace(/\{\w+\}/, 'x');
    const respond = async (headers: Record<string, string>) =>
      (await send(emulator, method.toUpperCase(), `${url}?order=wrong&page=0`, { headers })).status;
    expect(await respond({ 'X-Api-Key': 'wrong', Accept: 'text/html' })).toBe(401);
    const isNeeded = parameters.some((parameter) => 'name' in parameter && parameter.name === 'Accept');
    for (const Accept of ['*/*', 'text/html']) expect((await respond({ Accept })) === 406).toBe(isNeeded);
    expect(await respond({ Accept: 'text/plain, application/json;q=0.9' })).not.toBe(406);
  }
});

it.each<[string, string, unknown, string]>([
  ['GET', '/v2/forms?order=newest', undefined, 'order must be asc or desc.'],
  ['GET', '/v2/forms?page=0', undefined, 'page must be >= 1'],
  ['GET', '/v2/forms?page=1.5', undefined, 'page must be integer'],
  ['GET', '/v2/forms?page_size=', undefined, 'page_size must be integer'],
  ['POST', '/v2/forms', undefined, "must have required property 'requestBody'"],
  ['POST', '/v2/forms', { form: { title: '  ' } }, "Title can't be blank"],
  ['POST', '/v2/forms', { form: { title: 'x', name: 'x' } }, 'Unknown field: name'],
  ['POST', '/v2/team-members', {}, "Emails can't be blank"],
  ['POST', '/v2/team-members', { emails: ['a@example.com', 'x'] }, 'emails.1 must match format "email"'],
  ['PATCH', '/v2/team-members/x', { time_zone: 'Mars/Olympus' }, 'Time zone is invalid'],
])('%s %s %j is refused: %s', async (method, path, data, error) => {
  expect(await send(emulator, method, path, { data })).toMatchObject({ status: 422, data: { error } });
  expect(emulator.workspace.forms).toHaveLength(1);
});

it('marks every guess with x-guess', () => {
  const found: string[] = [];
  const search = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'x-guess') found.push(pointer);
      else search(inner, `${pointer}/${key.replaceAll('/', '~1')}`);
    }
  };
  search(document, '#');
  expect(
    found.map((pointer) => pointer.replaceAll('~1', '/').replace(/#.(components.|paths..api.external.)/, '')),
  ).toEqual([
    '#/info',
    'v2/forms/get/parameters/1',
    'v2/forms/post',
    'v2/forms/{form_id}/submissions/get',
    'v2/team-members/get',
    'v2/team-members/post',
    'v2/team-members/{team_member_id}/patch',
    'v2/team-members/{team_member_id}/delete',
    'v1/team_members/get',
    'v1/team_members/delete',
    'parameters/Page',
    'parameters/PageSize',
    'parameters/PageNumber',
    'parameters/Email',
    'responses/Unauthorized',
    'responses/Forbidden',
    'responses/NotAcceptable',
    'responses/Rejected',
    'responses/TooManyRequests',
    'responses/Failure',
    'schemas/Form/properties/state',
    'schemas/Form/properties/created_by',
    'schemas/Question/properties/kind',
    'schemas/Submission/properties/field_values',
    'schemas/Response/properties/value',
    'schemas/Pagination',
    'schemas/AnyError',
  ]);
});

it.each<[string, Partial<Emulator['requests'][number]>, RegExp]>([
  ['an unknown path', { path: '/api/external/v2/form' }, /no such operation/],
  ['an unknown query parameter', { query: { page_number: '1' } }, /page_number/],
  ['a page size above 100', { query: { page: '1', page_size: '101' } }, /page_size/],
  ['a body where none is taken', { body: {} }, /takes no body/],
  ['a missing key', { headers: {} }, /x-api-key/],
  ['an undocumented status', { status: 201 }, /status 201 is not described/],
  ['no response', { status: 0 }, /status 0 is not described/],
  ['another response', { responseBody: '{"forms":[]}' }, /pagination/],
  ['a response that is not JSON', { responseBody: '<html>' }, /must be object/],
])('the check of exchanges finds %s', async (_title, change, problem) => {
  await send(emulator, 'GET', '/v2/forms?page=1');
  const [exchange] = emulator.requests;
  if (!exchange) throw new Error('Nothing was logged');
  expect(await validateExchanges([exchange])).toEqual([]);
  expect(await validateExchanges([{ ...exchange, ...change }])).toEqual([expect.stringMatching(problem)]);
});
