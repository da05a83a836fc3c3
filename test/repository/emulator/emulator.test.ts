import { compiled } from '../../../emulator/http/document.ts';
import { startEmulator, type Emulator, type RequestRecord } from '../../../emulator/index.ts';
import { validateExchanges } from '../../support/openapi.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ listen: false, seed: { forms: [{ id: 'form', title: 'x' }] } });
});
afterEach(() => emulator.close());

it('the document is valid OpenAPI 3.1', async () => {
  const backend = await compiled;
  expect(() => backend.validateDefinition()).not.toThrow();
});

it.each<[string, Partial<RequestRecord>, RegExp]>([
  ['an unknown path', { path: '/api/external/v2/form' }, /no such operation/],
  ['an unknown query parameter', { query: { page_number: '1' } }, /page_number/],
  ['a page size above 100', { query: { page: '1', page_size: '101' } }, /page_size/],
  ['a body where none is taken', { body: {} }, /takes no body/],
  ['a missing key', { headers: {} }, /x-api-key/],
  ['an undocumented status', { status: 201 }, /status 201 is not described/],
  ['another response', { responseBody: '{"forms":[]}' }, /pagination/],
])('the validation of requests and responses finds %s', async (_title, change, problem) => {
  const request = { url: '/api/external/v2/forms?page=1', headers: { 'x-api-key': emulator.apiKey } };
  const { body: responseBody } = await emulator.inject({ method: 'GET', ...request });
  const exchange = emulator.requests.map((request) => ({ ...request, responseBody }));
  expect(await validateExchanges(exchange)).toEqual([]);
  expect(await validateExchanges(exchange.map((each) => ({ ...each, ...change })))).toEqual([
    expect.stringMatching(problem),
  ]);
});
