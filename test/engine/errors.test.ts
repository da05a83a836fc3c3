import { createServer } from 'node:net';

import { NodeApiError } from 'n8n-workflow';

import type { FaultEffect, Json } from '../../emulator/index.ts';
import { addForms, anyText, KEY, useHarness, type Parameters } from '../support/harness';
import { ID, OPERATIONS } from '../support/operations';

const harness = useHarness();

const listForms = { resource: 'form', operation: 'getAll' };

/** Runs with every answer being this one, without waiting between tries. */
async function answered(effect: FaultEffect, parameters: Parameters = listForms) {
  harness.allowUndocumented();
  const again = 'status' in effect ? { ...effect, headers: { 'Retry-After': '0', ...effect.headers } } : effect;
  harness.emulator.fail({ when: { times: Infinity }, with: again });
  const error = await harness.fail(parameters);
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error.message).not.toMatch(/Request failed|status code|undefined|\[object/);
  expect(error.description ?? '').not.toMatch(/undefined|\[object/);
  expect(error.description ?? '').not.toBe('');
  return error;
}

describe('the errors that the service describes, word for word', () => {
  const formGet = { resource: 'form', operation: 'get', formId: ID };
  const byMember = (operation: string) => ({
    resource: 'teamMember',
    operation,
    teamMemberId: ID,
    updateFields: { firstName: 'Jane' },
  });

  it('a form that does not exist', async () => {
    const error = await harness.fail(formGet);
    expect(error).toMatchObject({ message: 'Form not found', httpCode: '404' });
    expect(error.description).toBe(`No form in this workspace has the ID '${ID}'. Choose another in 'Form'.`);
  });

  it('a form that does not exist, asked for its submissions', async () => {
    const error = await harness.fail({ resource: 'submission', operation: 'getAll', formId: ID });
    expect(error).toMatchObject({
      message: 'Form not found',
      httpCode: '404',
      description: anyText(new RegExp(`'${ID}'.*'Form'`)),
    });
  });

  it('a form or team member that does not exist, with the ID in the message for an agent', async () => {
    const form = await harness.fail(formGet, { asTool: true });
    expect(form).toMatchObject({ message: `Form not found: ${ID}`, httpCode: '404' });
    const member = await harness.fail(byMember('get'), { asTool: true });
    expect(member).toMatchObject({ message: `Team member not found: ${ID}`, httpCode: '404' });
  });

  it.each(['get', 'update', 'remove'])('a team member who cannot be found, to %s', async (operation) => {
    const error = await harness.fail(byMember(operation));
    expect(error).toMatchObject({
      message: 'Team member not found',
      httpCode: '404',
      description: anyText(new RegExp(`'${ID}'.*'Team Member'.*active`)),
    });
  });

  it.each([400, 422, 200])('a date that is none, whatever its status, here %i', async (status) => {
    const message = 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.';
    await expect(
      answered({ status, body: { error: message } }, { resource: 'submission', operation: 'getAll', formId: ID }),
    ).resolves.toMatchObject({ message, httpCode: String(status) });
  });

  it.each([
    ['remove', { teamMemberId: '={{ $json.id }}' }],
    ['removeByEmail', { emails: 'admin@example.com' }],
  ])('the last admin, to %s', async (operation, more) => {
    const [admin] = harness.emulator.workspace.members;
    const error = await harness.fail({ resource: 'teamMember', operation, ...more }, { items: [{ id: admin?.id }] });
    expect(error).toMatchObject({ message: 'Cannot remove the last admin of the workspace', httpCode: '422' });
  });
});

describe.each(OPERATIONS)('$title', ({ method, parameters }) => {
  it('sends one request with the key and the wish for JSON', async () => {
    harness.emulator.fail({ with: { status: 403, body: { error: 'No' } } });
    await harness.fail(parameters);
    expect(harness.emulator.requests).toMatchObject([
      { method, headers: { 'x-api-key': KEY, accept: 'application/json' } },
    ]);
  });

  it('takes a wrong key for what it is, after one request', async () => {
    const error = await harness.fail(parameters, { credentials: { ...harness.credentials, apiKey: 'a wrong key' } });
    expect(error).toMatchObject({
      message: 'Could not authenticate, invalid API Key',
      httpCode: '401',
      description: anyText(/'API Key'.*another workspace/),
    });
    expect(error).toMatchObject({ failure: { cause: 'credential-invalid' } });
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it('takes a 403 for the role, not for a wrong key', async () => {
    const error = await answered({ status: 403, body: { error: 'You are not authorized' } }, parameters);
    expect(error).toMatchObject({
      message: 'You are not authorized',
      httpCode: '403',
      description: anyText(/key is valid.*role/),
    });
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it('takes a page that is not there for a wrong subdomain', async () => {
    const error = await answered({ status: 404, body: '<!DOCTYPE html><title>Not found</title>' }, parameters);
    expect(error).toMatchObject({
      message: 'The service does not know this address',
      httpCode: '404',
      description: anyText(/'Subdomain'.*'Base URL'/),
    });
  });

  it('takes a redirect for a wrong subdomain, and does not follow it', async () => {
    const error = await answered({ redirect: 'https://elsewhere.example.com/login?next=1' }, parameters);
    expect(error).toMatchObject({
      message: anyText(/elsewhere\.example\.com, which was not followed$/),
      httpCode: '302',
      description: anyText(/'Subdomain'.*'Base URL'/),
    });
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it('shows what the service says about a value', async () => {
    const error = await answered({ status: 422, body: { error: "Title can't be blank" } }, parameters);
    expect(error).toMatchObject({ message: "Title can't be blank", httpCode: '422', description: anyText(/field/) });
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it('takes a web page with status 200 for a wrong subdomain', async () => {
    const error = await answered({ status: 200, body: '<!DOCTYPE html><title>Welcome</title>' }, parameters);
    expect(error).toMatchObject({
      message: anyText(/web page instead of data/),
      description: anyText(/'Subdomain'.*'Base URL'/),
    });
  });

  it('speaks of the rate, and of batching, when there were too many requests', async () => {
    const error = await answered({ status: 429, body: { error: 'Rate limit exceeded' } }, parameters);
    expect(error).toMatchObject({
      message: 'Rate limit exceeded (after 5 attempts)',
      httpCode: '429',
      description: anyText(/Batching/),
      failure: { cause: 'rate-limited' },
    });
  });
});

describe('where the words of the service come from', () => {
  it.each<[what: string, body: Json, message: string]>([
    ['error', { error: 'Title is too long' }, 'Title is too long'],
    ['notice', { notice: 'The form is locked' }, 'The form is locked'],
    ['errors', { errors: ['Title is too long', 'Title is rude'] }, 'Title is too long Title is rude'],
    ['field_errors', { field_errors: [{ field: 'title', message: 'is too long' }] }, 'title: is too long'],
    [
      'the first of all four',
      { field_errors: [{ field: 'title', message: 'no' }], errors: ['no'], notice: 'no', error: 'Yes' },
      'Yes',
    ],
  ])('%s', async (_what, body, message) => {
    for (const status of [400, 422, 409]) {
      await expect(answered({ status, body })).resolves.toMatchObject({ message, httpCode: String(status) });
      harness.emulator.reset();
    }
  });

  it.each<[what: string, body: Json | undefined]>([
    ['an empty object', {}],
    ['nothing', undefined],
    ['an empty text', ''],
    ['a web page', '<html>Unprocessable</html>'],
    ['plain text', 'Bad request'],
    ['an error that is an object', { error: { code: 17 } }],
    ['a list', ['no']],
  ])('not %s: then the status is told in a sentence', async (_what, body) => {
    for (const [status, message] of [
      [400, 'The service refused the request with status 400'],
      [401, 'The service refused the API key'],
      [403, 'The service does not allow this operation'],
      [404, 'The service does not know this address'],
      [418, 'The service refused the request with status 418'],
      [422, 'The service refused the request with status 422'],
      [429, 'The service is limiting the rate of requests (after 5 attempts)'],
      [500, 'The service answered with status 500 (after 5 attempts)'],
    ] as const) {
      await expect(answered({ status, body })).resolves.toMatchObject({ message, httpCode: String(status) });
      harness.emulator.reset();
    }
  });
});

describe('an answer that is not what was asked for', () => {
  const submissions = { resource: 'submission', operation: 'getAll', formId: ID };
  const shapes: Array<[what: string, parameters: Parameters, body: Json, named: string]> = [
    ['no list of forms', listForms, { pagination: {} }, "'forms'"],
    ['a list of forms that is none', listForms, { forms: {} }, "'forms'"],
    ['a form without id', listForms, { forms: [{ title: 'x' }] }, 'id'],
    ['a form with an id that is no text', listForms, { forms: [{ id: 7 }] }, 'id'],
    ['a form that is null', listForms, { forms: [null] }, 'id'],
    ['no list of submissions', submissions, { forms: [] }, "'submissions'"],
    ['a submission without id', submissions, { submissions: [{ created_at: '2026-02-09T05:20:59.464Z' }] }, 'id'],
    ['no list of team members', { resource: 'teamMember', operation: 'getAll' }, {}, "'team_members'"],
    ['no team member', { resource: 'teamMember', operation: 'get', teamMemberId: ID }, { id: ID }, "'team_member'"],
    ['no form that was made', { resource: 'form', operation: 'create', title: 'x' }, { id: ID }, "'form'"],
    ['no message', { resource: 'teamMember', operation: 'add', emails: 'a@example.com' }, {}, "'message'"],
    ['no object', listForms, [{ id: 'x' }], 'object'],
  ];

  it.each(shapes)('%s is told as such', async (_what, parameters, body, named) => {
    const { message, description } = await answered({ status: 200, body }, parameters);
    expect(message).toMatch(/^The service answered in a shape this node does not know/);
    expect(message).toContain(named);
    expect(description).toMatch(/Update this package/);
  });

  it.each(['null', '42', 'true'])('JSON that is no object, %s, is told as such', async (text) => {
    await expect(
      answered({ status: 200, body: text, headers: { 'content-type': 'application/json' } }),
    ).resolves.toMatchObject({ message: anyText(/^The service answered in a shape this node does not know/) });
  });

  it('an empty answer has nothing of what was asked for', async () => {
    await expect(answered({ status: 200, body: '' })).resolves.toMatchObject({
      message: anyText(/there is no list of 'forms'$/),
    });
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed, whatever it says', async (status) => {
    for (const headers of [
      { location: `${harness.emulator.url}/api/external/v2/forms` },
      { location: '/login' },
      { location: 'not an address' },
      {},
    ]) {
      const { message, httpCode } = (await answered({
        status,
        headers: headers as Record<string, string>,
      })) as NodeApiError;
      expect(message).toMatch(/^The service redirected the request to .*, which was not followed$/);
      expect(httpCode).toBe(String(status));
      expect(harness.emulator.requests).toHaveLength(1);
      harness.emulator.reset();
    }
  });
});

describe("the label of a field that the service's message names", () => {
  it.each([
    ['created_by_email must belong to an active team member', "Check 'Created By Email' and"],
    ['The value of time_zone is invalid', "Check 'Time Zone' and"],
    ['Organization role editor does not exist', "Check 'Organization Role' and"],
    ["Title can't be blank", "Check 'Title' and"],
    ['first_name and last_name are too long', "Check 'First Name' and 'Last Name' and"],
    ['submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.', "Check 'Submitted After' and"],
    ['Something in this order is wrong', 'Check the field named above and'],
  ])('stands in the description: %s', async (message, expected) => {
    const error = await answered({ status: 422, body: { error: message } });
    expect(error.message).toBe(message);
    expect(error.description).toContain(expected);
  });
});

describe('a write whose response cannot be used', () => {
  const create = { resource: 'form', operation: 'create', title: 'x', requestOptions: { timeout: 300 } };

  it.each<[what: string, effect: FaultEffect, message: string]>([
    ['is not valid HTTP', { malformed: true }, 'The service sent broken JSON'],
    ['is cut off', { truncate: true }, 'The connection to the service was lost'],
    ['never comes', { hang: true }, 'The service did not answer in time'],
    ['is a closed connection', { reset: true }, 'The connection to the service was lost'],
    [
      'is garbled gzip',
      { status: 201, body: 'not gzip at all', headers: { 'content-encoding': 'gzip' } },
      'The response of the service could not be read',
    ],
    ['is a failure of the service', { status: 500, body: { error: 'Oops' } }, 'Oops'],
  ])('because it %s: says that it may have been done, and sends nothing again', async (_what, effect, message) => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { times: Infinity }, with: effect });
    const error = await harness.fail(create);
    expect(error.message).toBe(message);
    expect(error.description).toContain('may have received the request and done it: look before you run this again');
    expect(harness.emulator.requests).toHaveLength(1);
  });

  it('says that it may have been done when the response is not HTTP at all', async () => {
    const server = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 2xx gar\u0000bled\r\n\r\n')),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const error = await harness.fail(create, {
      credentials: { ...harness.credentials, baseUrl: `http://127.0.0.1:${port}` },
    });
    server.close();
    expect(error.message).toBe('The response of the service could not be read');
    expect(error.description).toContain('look before you run this again');
    expect(error.description).toMatch(/\(HPE_\w+\)$/);
  });
});

describe('a value that is refused on this side', () => {
  it('does not look like a response of the service: it has no status, nor a word for one', async () => {
    const error = await harness.fail({ resource: 'form', operation: 'create', title: ' ' });
    expect(error).toMatchObject({ message: "'Title' is empty", description: 'Enter a text. Nothing was sent.' });
    expect(error).toMatchObject({ httpCode: null, messages: [] });
  });
});

describe('an error of one of several items', () => {
  it.each([0, 1, 2])('says which: item %i', async (itemIndex) => {
    const [form] = addForms(harness.emulator, 1);
    const ids = [form?.id, form?.id, form?.id].map((id, index) => (index === itemIndex ? 'unknown' : id));
    const error = await harness.fail(
      { resource: 'form', operation: 'get', formId: '={{ $json.id }}' },
      { items: ids.map((id) => ({ id })) },
    );
    expect(error).toMatchObject({ message: 'Form not found', context: { itemIndex } });
  });

  it('says which, also when nothing was sent', async () => {
    const error = await harness.fail(
      { resource: 'form', operation: 'create', title: '={{ $json.title }}' },
      { items: [{ title: 'One' }, { title: '' }] },
    );
    expect(error).toMatchObject({ message: "'Title' is empty", httpCode: null, context: { itemIndex: 1 } });
  });
});
