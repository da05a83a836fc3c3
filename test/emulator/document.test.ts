import { compileDocument, document } from '../../emulator/http/document.ts';
import { sampleWorkspace, startEmulator, type Emulator } from '../../emulator/index.ts';
import { validateExchanges } from '../support/openapi.ts';
import { send, type Response } from './client.ts';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  format?: string;
  enum?: string[];
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Described {
  operationId: string;
  method: string;
  path: string;
  parameters: Parameter[];
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** A request for each operation of the document that succeeds. */
const EXAMPLES: Record<string, { query?: string; body?: Record<string, unknown> }> = {
  listForms: { query: '?page=1&page_size=2&order=desc&status=active' },
  createForm: { body: { form: { title: 'New', created_by_email: 'eve.martin@example.com' } } },
  getForm: {},
  listSubmissions: { query: '?submitted_after=2026-02-01&page=1&page_size=100&order=asc' },
  listTeamMembers: { query: '?page_number=1&page_size=3&email=eve.martin%40example.com' },
  addTeamMembers: {
    body: {
      emails: ['new@example.com'],
      organization_role: 'Editor',
      invited_by: 'eve.martin@example.com',
      send_invitation_email: 'false',
    },
  },
  getTeamMember: {},
  updateTeamMember: {
    body: {
      email: 's@example.com',
      first_name: 'S.',
      last_name: '',
      time_zone: 'Asia/Tokyo',
      organization_role: 'Editor',
    },
  },
  removeTeamMember: {},
  listTeamMembersV1: { query: '?page_number=1&page_size=2' },
  removeTeamMembersV1: { body: { emails: ['grace.okafor@example.com'] } },
};

let emulator: Emulator;
let operations: Described[];

beforeAll(async () => {
  operations = (await compileDocument(document)).getOperations() as unknown as Described[];
});

beforeEach(async () => {
  emulator = await startEmulator({ seed: sampleWorkspace() });
});
afterEach(() => emulator.close());

const described = (operationId: string): Described => {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  if (!operation) throw new Error(`The document has no operation ${operationId}`);
  return operation;
};

const request = async (
  operationId: string,
  options: { query?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Response> => {
  const { query, body, headers } = { ...EXAMPLES[operationId], ...options };
  const { method, path } = described(operationId);
  const { forms, members } = emulator.workspace;
  const url = path
    .replace('/api/external', '')
    .replace('{form_id}', forms[1]?.id ?? '')
    .replace('{team_member_id}', members[2]?.id ?? '');
  return await send(emulator, method, url + (query ?? ''), { data: body, headers });
};

it('is valid OpenAPI 3.1', async () => {
  await expect(compileDocument(document, true)).resolves.toBeDefined();
  expect(document.openapi).toMatch(/^3\.1\./);
});

it('has an operation for each example, and no other', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(EXAMPLES).sort());
});

describe.each(Object.keys(EXAMPLES))('%s', (operationId) => {
  it('succeeds, request and response as described', async () => {
    const { status } = await request(operationId);
    expect(status).toBe(Number(Object.keys(described(operationId).responses).find((code) => code.startsWith('2'))));
    expect(await validateExchanges(emulator.requests)).toEqual([]);
  });

  it('refuses a wrong key before anything else', async () => {
    const headers = { 'X-Api-Key': 'wrong', Accept: 'text/html' };
    const { status, data } = await request(operationId, {
      headers,
      query: '?order=wrong',
      body: EXAMPLES[operationId]?.body && { wrong: 1 },
    });
    expect([status, data]).toEqual([401, { error: 'Could not authenticate, invalid API Key' }]);
  });

  it('needs application/json in Accept exactly when it is described so', async () => {
    const isNeeded = described(operationId).parameters.some(({ name }) => name === 'Accept');
    for (const Accept of ['*/*', 'text/html'])
      expect((await request(operationId, { headers: { Accept } })).status === 406).toBe(isNeeded);
    expect(
      (await request(operationId, { headers: { Accept: 'text/plain, application/json;q=0.9' } })).status,
    ).toBeLessThan(400);
  });

  it('refuses what the document forbids in the query, and ignores what it does not know', async () => {
    for (const { name, in: place, schema } of described(operationId).parameters) {
      if (place !== 'query') continue;
      const wrong =
        schema.type === 'integer' ? ['0', '-1', '1.5', 'x', ''] : (schema.enum ?? schema.format) ? ['x', ''] : [];
      for (const value of wrong) {
        const { status, data } = await request(operationId, { query: `?${name}=${value}` });
        expect([name, value, status, data]).toEqual([
          name,
          value,
          422,
          { error: expect.stringContaining(name) as unknown },
        ]);
      }
    }
    expect((await request(operationId, { query: '?color=red&page[]=2' })).status).toBeLessThan(300);
  });

  it('refuses what the document forbids in the body, and changes nothing', async () => {
    const schema = described(operationId).requestBody?.content['application/json']?.schema;
    const valid = EXAMPLES[operationId]?.body;
    const wrong = schema
      ? [...mistakes(schema, valid), [], 'text', null].map((body) => JSON.stringify(body)).concat('')
      : [];
    const state = (): string => JSON.stringify([emulator.workspace.forms, emulator.workspace.members]);
    const before = state();
    for (const body of wrong) {
      const headers = { 'Content-Type': 'application/json' };
      const { status, data } = await request(operationId, { body, headers });
      expect([body, status, data]).toEqual([body, 422, { error: expect.any(String) as unknown }]);
    }
    expect(state()).toBe(before);
  });
});

/** A valid value with one mistake each. */
function* mistakes(schema: Schema, valid: unknown): Generator {
  if (schema.type === 'object' && typeof valid === 'object' && valid !== null) {
    yield { ...valid, unknown_field: 'x' };
    for (const [name, value] of Object.entries(valid)) {
      const property = schema.properties?.[name];
      if (property) for (const wrong of mistakes(property, value)) yield { ...valid, [name]: wrong };
    }
  } else if (schema.type === 'array' && Array.isArray(valid)) {
    yield 'not an array';
    yield [];
    if (schema.items) for (const wrong of mistakes(schema.items, valid[0])) yield [...(valid as unknown[]), wrong];
  } else {
    yield* [5, false, null, ['x'], {}];
    if (schema.format ?? schema.enum) yield* ['nonsense', ''];
  }
}

it('validates neither query nor body with validateRequests: false', async () => {
  const lax = await startEmulator({ validateRequests: false });
  expect((await send(lax, 'GET', '/v2/forms?order=newest')).status).toBe(200);
  await lax.close();
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
  expect(JSON.stringify(document)).not.toMatch(/chosen by|not shown|not part of|but known/);
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
  await request('listForms');
  const [exchange] = emulator.requests;
  if (!exchange) throw new Error('Nothing was logged');
  expect(await validateExchanges([{ ...exchange, ...change }])).toEqual([expect.stringMatching(problem)]);
});
