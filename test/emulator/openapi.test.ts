import axios, { type AxiosInstance } from 'axios';
import type { Document } from 'openapi-backend';
import { believableWorkspace, startEmulator, type Emulator } from '../../emulator/index.ts';
import {
  loadDescription,
  readDescription,
  validateExchange,
  validateExchanges,
  type Exchange,
} from '../support/openapi.ts';

let emulator: Emulator;
let client: AxiosInstance;

beforeAll(async () => {
  emulator = await startEmulator({ seed: believableWorkspace() });
  client = axios.create({
    baseURL: `${emulator.url}/api/external`,
    headers: { 'X-Api-Key': emulator.apiKey, Accept: 'application/json' },
    validateStatus: () => true,
  });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const form = (): string => emulator.workspace.forms[1]?.id ?? '';
const member = (): string => emulator.workspace.members[2]?.id ?? '';

describe('the description of the service', () => {
  it('is valid OpenAPI 3.1', async () => {
    await expect(loadDescription(readDescription())).resolves.toBeDefined();
    expect(readDescription().openapi).toMatch(/^3\.1\./);
  });

  it('would be refused if it were not valid OpenAPI', async () => {
    const untitled = { ...readDescription(), info: { title: 'No version' } } as Document;
    await expect(loadDescription(untitled)).rejects.toThrow(/not valid OpenAPI/);
  });

  it('has all eleven operations', async () => {
    const backend = await loadDescription(readDescription());
    expect(
      backend
        .getOperations()
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual([
      'addTeamMembers',
      'createForm',
      'getForm',
      'getTeamMember',
      'listForms',
      'listSubmissions',
      'listTeamMembers',
      'listTeamMembersV1',
      'removeTeamMember',
      'removeTeamMembersV1',
      'updateTeamMember',
    ]);
  });
});

describe('the emulator keeps to the description', () => {
  const exchanges: Array<[string, string, unknown?]> = [
    ['GET', '/v2/forms'],
    ['GET', '/v2/forms?page=1&page_size=2&order=desc&status=active'],
    ['POST', '/v2/forms', { form: { title: 'New', created_by_email: 'eve.martin@example.com' } }],
    ['POST', '/v2/forms', { form: {} }],
    ['GET', '/v2/forms/{form}'],
    ['GET', '/v2/forms/unknown'],
    ['GET', '/v2/forms/{form}/submissions?page=1&page_size=100'],
    ['GET', '/v2/forms/{form}/submissions?submitted_after=2026-02-01&order=desc'],
    ['GET', '/v2/forms/{form}/submissions?submitted_after=yesterday'],
    ['GET', '/v2/forms/unknown/submissions'],
    ['GET', '/v2/team-members?page_number=1&page_size=3'],
    ['GET', '/v2/team-members?email=eve.martin%40example.com'],
    ['GET', '/v2/team-members/{member}'],
    ['GET', '/v2/team-members/unknown'],
    [
      'POST',
      '/v2/team-members',
      { emails: ['new@example.com'], organization_role: 'Editor', send_invitation_email: 'false' },
    ],
    ['POST', '/v2/team-members', { emails: ['new@example.com'], organization_role: 'Nobody' }],
    ['PATCH', '/v2/team-members/{member}', { first_name: 'S.', time_zone: 'Asia/Tokyo' }],
    ['PATCH', '/v2/team-members/{member}', { time_zone: 'Atlantis' }],
    ['DELETE', '/v2/team-members/{member}'],
    ['DELETE', '/v2/team-members/unknown'],
    ['GET', '/v1/team_members?page_number=1&page_size=2'],
    ['DELETE', '/v1/team_members', { emails: ['grace.okafor@example.com'] }],
    ['DELETE', '/v1/team_members', { emails: ['nobody@example.com'] }],
  ];

  it.each(exchanges.map(([method, path, data]) => ({ method, path, data })))(
    '$method $path',
    async ({ method, path, data }) => {
      const url = path.replace('{form}', form()).replace('{member}', member());
      await client.request({ method, url, data });
      expect(await validateExchanges(emulator.requests)).toEqual([]);
    },
  );

  it('answers a wrong key as described', async () => {
    await client.get('/v2/forms', { headers: { 'X-Api-Key': 'wrong' } });
    expect(await validateExchanges(emulator.requests)).toEqual([]);
    expect(emulator.requests[0]?.status).toBe(401);
  });
});

describe('the check finds what is wrong', () => {
  const good = async (): Promise<Exchange> => {
    await client.get(`/v2/forms/${form()}/submissions?page=1&page_size=1`);
    const [exchange] = emulator.requests;
    if (!exchange) throw new Error('nothing was logged');
    return exchange;
  };

  it('an unknown path', async () => {
    expect(await validateExchange({ ...(await good()), path: '/api/external/v2/form' })).toEqual([
      expect.stringContaining('no such operation'),
    ]);
  });

  it('an unknown query parameter', async () => {
    expect(await validateExchange({ ...(await good()), query: { page_number: '1' } })).toEqual([
      expect.stringContaining('page_number'),
    ]);
  });

  it('a page size above the cap', async () => {
    expect(await validateExchange({ ...(await good()), query: { page: '1', page_size: '101' } })).toEqual([
      expect.stringContaining('<= 100'),
    ]);
  });

  it('a page that is no number', async () => {
    expect(await validateExchange({ ...(await good()), query: { page: 'one' } })).toEqual([
      expect.stringContaining('integer'),
    ]);
  });

  it('a missing key', async () => {
    expect(await validateExchange({ ...(await good()), headers: {} })).toEqual([expect.stringContaining('x-api-key')]);
  });

  it('a missing or other Accept header where it is required', async () => {
    const list = {
      ...(await good()),
      path: '/api/external/v2/team-members',
      query: {},
      status: 401,
      responseBody: '{"error":""}',
    };
    expect(await validateExchange({ ...list, headers: { 'x-api-key': 'k' } })).toEqual([
      expect.stringContaining('accept'),
    ]);
    expect(await validateExchange({ ...list, headers: { 'x-api-key': 'k', accept: '*/*' } })).toEqual([
      expect.stringContaining('accept'),
    ]);
  });

  it('a body where none is taken', async () => {
    expect(await validateExchange({ ...(await good()), body: {} })).toEqual([expect.stringContaining('takes no body')]);
  });

  it('an unknown or mistyped field in a body', async () => {
    const add = {
      ...(await good()),
      method: 'POST',
      path: '/api/external/v2/team-members',
      query: {},
      responseBody: '{"message":""}',
    };
    expect(await validateExchange({ ...add, body: { emails: ['a@example.com'] } })).toEqual([]);
    expect(await validateExchange({ ...add, body: { email: 'a@example.com' } })).toEqual([
      expect.stringContaining('"email"'),
    ]);
    expect(await validateExchange({ ...add, body: { emails: 'a@example.com' } })).toEqual([
      expect.stringContaining('array'),
    ]);
    expect(await validateExchange({ ...add, body: { emails: ['a'] } })).toEqual([expect.stringContaining('email')]);
    expect(await validateExchange({ ...add, body: { send_invitation_email: false } })).not.toEqual([]);
    expect(await validateExchange({ ...add, body: undefined })).not.toEqual([]);
  });

  it('a status that is not described', async () => {
    expect(await validateExchange({ ...(await good()), status: 201 })).toEqual([expect.stringContaining('status 201')]);
  });

  it('no answer', async () => {
    expect(await validateExchange({ ...(await good()), status: 0 })).toEqual([expect.stringContaining('no answer')]);
  });

  it('an answer of another shape', async () => {
    const exchange = await good();
    expect(await validateExchange({ ...exchange, responseBody: '{"submissions":[]}' })).toEqual([
      expect.stringContaining('pagination'),
    ]);
    expect(
      await validateExchange({
        ...exchange,
        responseBody: exchange.responseBody?.replace('"created_at":"20', '"created_at":"x'),
      }),
    ).toEqual([expect.stringContaining('date-time')]);
    expect(await validateExchange({ ...exchange, responseBody: '<html>' })).toEqual([
      expect.stringContaining('not JSON'),
    ]);
  });

  it('a body in an answer that has none', async () => {
    const removed = {
      ...(await good()),
      method: 'DELETE',
      path: '/api/external/v2/team-members/x',
      query: {},
      status: 204,
    };
    expect(await validateExchange(removed)).toEqual([expect.stringContaining('has no body')]);
  });
});
