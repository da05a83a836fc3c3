import { OpenAPIBackend } from 'openapi-backend';
import { compiled, document } from '../../../emulator/http/document.ts';
import {
  createClock,
  startEmulator,
  type Emulator,
  type FaultEffect,
  type ResponseBody,
} from '../../../emulator/index.ts';
import { validateExchanges, type Exchange } from '../../support/openapi.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const ROWS = Array.from({ length: 120 }, (_, number) => `row ${number}`);
const SUBMISSIONS = '/v2/forms/form/submissions';
let emulator: Emulator;

beforeEach(async () => {
  const submissions = ROWS.map((id, number) => ({ id, createdAt: NOW - 3_600_000 + number * 1000 }));
  const forms = [
    { id: 'form', title: 'x', createdAt: 2, submissions },
    { id: 'archived', title: 'x', createdAt: 1, isArchived: true },
    { id: 'liked', title: 'x', createdAt: 2, isFavorite: true },
  ];
  const members = [
    { id: 'ada', email: 'ada@example.com', organizationRole: 'Admin' },
    { id: 'gone', email: 'm1@example.com', active: false },
  ];
  emulator = await startEmulator({ listen: false, clock: createClock(NOW), seed: { forms, members } });
});
afterEach(() => emulator.close());

/** Sends a request to a path below `/api/external`, with the key and `Accept: application/json` unless `headers` has others. */
async function send(path: string, method: 'GET' | 'POST' | 'PATCH' = 'GET', payload?: object, headers = {}) {
  const url = `/api/external${path}`;
  const allHeaders = { 'x-api-key': emulator.apiKey, accept: 'application/json', ...headers };
  const { body, ...response } = await emulator.inject({ method, url, payload, headers: allHeaders });
  return { ...response, text: body, data: (body.startsWith('{') ? JSON.parse(body) : {}) as ResponseBody };
}

async function listed(path: string): Promise<unknown[]> {
  const rows = Object.values((await send(path)).data).find((value) => Array.isArray(value)) as Array<{ id: string }>;
  return rows.map(({ id }) => id);
}

it('is described by valid OpenAPI 3.1', async () => {
  const backend = new OpenAPIBackend({ definition: structuredClone(document) });
  await backend.loadDocument();
  expect(() => backend.validateDefinition()).not.toThrow();
});

it('refuses a wrong key first, and then an Accept header without application/json if the operation needs one', async () => {
  for (const { path, parameters = [] } of (await compiled).getOperations().filter(({ method }) => method === 'get')) {
    const url = path.replace('/api/external', '').replace(/\{\w+\}/, 'ada');
    const statusOf = async (headers: object) => (await send(url, 'GET', undefined, headers)).statusCode;
    expect(await statusOf({ 'x-api-key': 'wrong', accept: 'text/html' })).toBe(401);
    const isNeeded = parameters.some((parameter) => 'name' in parameter && parameter.name === 'Accept');
    expect((await statusOf({ accept: '*/*' })) === 406).toBe(isNeeded);
  }
});

it.each<[string, object | undefined, string]>([
  ['/v2/forms?order=newest', undefined, 'order must be asc or desc.'],
  ['/v2/forms?page=0', undefined, 'page must be >= 1'],
  [`${SUBMISSIONS}?submitted_after=2026-02-30`, undefined, 'submitted_after must be an ISO 8601 date (YYYY-MM-DD)'],
  ['/v2/forms', { form: { title: '  ' } }, "Title can't be blank"],
  ['/v2/forms', { form: { title: 'x', name: 'x' } }, 'Unknown field: name'],
  ['/v2/team-members', { emails: ['a@example.com', 'x'] }, 'emails.1 must match format'],
])('refuses %s %j: %s', async (path, payload, error) => {
  const refused = await send(path, payload ? 'POST' : 'GET', payload);
  expect(refused).toMatchObject({ statusCode: 422, data: { error: expect.stringContaining(error) as unknown } });
});

it.each<[path: string, ids: string[]]>([
  ['/v2/forms?order=desc&page=1&page_size=2', ['liked', 'form']],
  ['/v2/forms?status=active', ['form', 'liked']],
  ['/v2/forms?status=archived', ['archived']],
  ['/v2/forms?status=favorite', ['liked']],
  ['/v2/forms?status=ACTIVE', ['archived', 'form', 'liked']],
  ['/v2/team-members?email=M1@example.com', ['gone']],
  [SUBMISSIONS, ROWS],
  [`${SUBMISSIONS}?order=desc&page=2&page_size=2`, ['row 117', 'row 116']],
  [`${SUBMISSIONS}?page=2&page_size=200`, ROWS.slice(100)],
  [`${SUBMISSIONS}?submitted_after=2026-02-09`, ROWS],
  [`${SUBMISSIONS}?submitted_after=2026-02-09T05:00:30.5Z`, ROWS.slice(31)],
  [`${SUBMISSIONS}?submitted_after=2026-02-09T10:31:59%2B05:30`, ROWS.slice(119)],
])('%s lists the rows it asks for, in their order', async (path, ids) => expect(await listed(path)).toEqual(ids));

it('lists a submission when it is finished, in its place, and gives equal times another order each time', async () => {
  emulator.workspace.addSubmission('form', { id: 'late', createdAt: NOW - 3_600_000, visibleAt: NOW + 1 });
  expect(await listed(SUBMISSIONS)).toEqual(ROWS);
  emulator.clock.advance(1);
  expect(await listed(SUBMISSIONS)).toEqual(['row 0', 'late', ...ROWS.slice(1)]);
  emulator.quirks.randomTieOrder = true;
  const seen = new Set<unknown>();
  for (let nth = 0; nth < 20; nth += 1) seen.add((await listed(SUBMISSIONS))[0]);
  expect([...seen].sort()).toEqual(['late', 'row 0']);
});

it('applies a fault from the nth matching request on, so many times, until it is removed', async () => {
  const remove = emulator.fail({ when: { times: Infinity }, with: { status: 500 } });
  emulator.fail({ when: { path: /forms$/, nth: 2, times: 2 }, with: { status: 501 } });
  const statuses = async (paths: string[]) => {
    const seen: number[] = [];
    for (const path of paths) seen.push((await send(path)).statusCode);
    return seen;
  };
  expect(await statuses(['/v2/forms', '/v2/forms'])).toEqual([500, 500]);
  remove();
  expect(await statuses(['/v2/team-members', '/v2/forms', '/v2/forms', '/v2/forms'])).toEqual([200, 501, 501, 200]);
});

it.each<[FaultEffect, silentMs: number, totalMs: number]>([
  [{ status: 404 }, 40, 40],
  [{ delayMs: 60_000 }, 60_040, 60_040],
  [{ drip: 1_000, everyMs: 100 }, 100, 140],
  [{ hang: true }, Infinity, Infinity],
])('without a connection %j comes at once, with its silence and duration of %p and %p ms', async (effect, ...rest) => {
  emulator.quirks.latencyMs = 40;
  emulator.fail({ with: effect });
  expect(await send('/v2/forms/form')).toMatchObject({ silentMs: rest[0], totalMs: rest[1] });
});

it.each<Exclude<FaultEffect, { status: number }>>([{ reset: true }, { truncate: true }])(
  'without a connection %j is a lost connection',
  async (effect) => {
    emulator.fail({ with: effect });
    await expect(send('/v2/forms')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(emulator.inFlight.now).toBe(0);
  },
);

it('sends what a test makes of a response', async () => {
  emulator.fail({ with: { rewrite: (body) => ({ ...body, pagination: undefined }) } });
  expect([(await send('/v2/forms')).data.pagination, (await send('/v2/forms')).data.pagination]).toEqual([
    undefined,
    expect.objectContaining({ total_records: 3 }),
  ]);
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
  const { text } = await send('/v2/forms?page=1');
  const exchange = emulator.requests.map((request): Exchange => ({ ...request, responseBody: text }));
  expect(await validateExchanges(exchange)).toEqual([]);
  expect(await validateExchanges(exchange.map((each) => ({ ...each, ...change })))).toEqual([
    expect.stringMatching(problem),
  ]);
});
