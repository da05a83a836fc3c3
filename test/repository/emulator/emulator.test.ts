import { OpenAPIBackend } from 'openapi-backend';
import { document } from '../../../emulator/http/document.ts';
import { startEmulator, type Emulator } from '../../../emulator/index.ts';
import { validateExchanges, type Exchange } from '../../support/openapi.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ listen: false, seed: { forms: [{ id: 'form', title: 'x' }] } });
});
afterEach(() => emulator.close());

/** Sends a request to a path below `/api/external`. */
async function send(path: string, payload?: object, accept = 'application/json') {
  const headers = { 'x-api-key': emulator.apiKey, accept };
  return await emulator.inject({ method: payload ? 'POST' : 'GET', url: `/api/external${path}`, payload, headers });
}

it('the document is valid OpenAPI 3.1', async () => {
  const backend = new OpenAPIBackend({ definition: structuredClone(document) });
  await backend.loadDocument();
  expect(() => backend.validateDefinition()).not.toThrow();
});

it.each<[string, object | undefined, string]>([
  ['/v2/forms/form/submissions?submitted_after=today', undefined, 'submitted_after must be an ISO 8601 date'],
  ['/v2/forms', { form: { title: '  ' } }, "Title can't be blank"],
  ['/v2/forms', { form: { title: 'x', name: 'x' } }, 'Unknown field: name'],
])('refuses %s %j: %s', async (path, payload, error) => {
  const { statusCode, body } = await send(path, payload);
  expect({ statusCode, body }).toEqual({ statusCode: 422, body: expect.stringContaining(error) as unknown });
});

it('refuses a wildcard as the Accept header of an operation that needs JSON by name', async () => {
  expect((await send('/v2/team-members', undefined, '*/*')).statusCode).toBe(406);
});

it.each<[string, Partial<Exchange>, RegExp]>([
  ['an unknown path', { path: '/api/external/v2/form' }, /no such operation/],
  ['an unknown query parameter', { query: { page_number: '1' } }, /page_number/],
  ['a page size above 100', { query: { page: '1', page_size: '101' } }, /page_size/],
  ['a body where none is taken', { body: {} }, /takes no body/],
  ['a missing key', { headers: {} }, /x-api-key/],
  ['an undocumented status', { status: 201 }, /status 201 is not described/],
  ['another response', { responseBody: '{"forms":[]}' }, /pagination/],
])('the validation of requests and responses finds %s', async (_title, change, problem) => {
  const { body: responseBody } = await send('/v2/forms?page=1');
  const exchange = emulator.requests.map((request): Exchange => ({ ...request, responseBody }));
  expect(await validateExchanges(exchange)).toEqual([]);
  expect(await validateExchanges(exchange.map((each) => ({ ...each, ...change })))).toEqual([
    expect.stringMatching(problem),
  ]);
});
