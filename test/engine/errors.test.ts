import { createServer } from 'node:net';

import { NodeApiError } from 'n8n-workflow';

import type { FaultEffect, Json } from '../../emulator/index.ts';
import { addForms, addSubmissions, anyText, useHarness, type Parameters } from '../support/harness';
import { ID } from '../support/operations';

const harness = useHarness();

const listForms = { resource: 'form', operation: 'getAll' };
const getForm = { resource: 'form', operation: 'get', formId: '={{ $json.id }}' };
const listSubmissions = { resource: 'submission', operation: 'getAll', formId: ID };
const onMember = (operation: string) => ({
  resource: 'teamMember',
  operation,
  teamMemberId: ID,
  updateFields: { firstName: 'Jane' },
});

/** Bodies without a message. */
const SILENT: Array<Json | undefined> = [
  ...[{}, { error: { code: 17 } }, ['no']],
  ...[undefined, '', '<html>Unprocessable</html>', 'Bad request'],
];

/** Runs with every response being this one, without a wait between tries. */
async function answered(effect: FaultEffect, parameters: Parameters = listForms) {
  harness.allowUndocumented();
  const again = 'status' in effect ? { ...effect, headers: { 'Retry-After': '0', ...effect.headers } } : effect;
  const stop = harness.emulator.fail({ when: { times: Infinity }, with: again });
  const error = await harness.fail(parameters);
  stop();
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error.message).not.toMatch(/Request failed|status code|undefined|\[object/);
  expect(error.description).toMatch(/^(?!.*(?:undefined|\[object)).+/);
  return error;
}

describe('what does not exist', () => {
  it('is named by the field to change', async () => {
    await expect(harness.fail({ ...getForm, formId: ID })).resolves.toMatchObject({
      message: 'Form not found',
      httpCode: '404',
      description: `No form in this workspace has the ID '${ID}'. Choose another in 'Form'.`,
    });
  });

  it.each([
    ['Form', listSubmissions, `'${ID}'.*'Form'`],
    ['Team member', onMember('get'), `'${ID}'.*'Team Member'.*active`],
    ['Team member', onMember('update'), `'${ID}'.*'Team Member'.*active`],
    ['Team member', onMember('remove'), `'${ID}'.*'Team Member'.*active`],
  ])('%s not found: %j. An agent reads the ID in the message', async (what, parameters, description) => {
    const error = { message: `${what} not found`, httpCode: '404', description: anyText(new RegExp(description)) };
    expect(await harness.fail(parameters)).toMatchObject(error);
    const forAgent = await harness.fail(parameters, { asTool: true });
    expect(forAgent).toMatchObject({ message: `${what} not found: ${ID}`, httpCode: '404' });
  });
});

it.each([400, 422, 200])('a date that the service refuses with status %i is reported in its words', async (status) => {
  const message = 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.';
  const error = await answered({ status, body: { error: message } }, listSubmissions);
  expect(error).toMatchObject({ message, httpCode: String(status) });
});

describe('the message of an error', () => {
  it.each<[what: string, body: Json, message: string]>([
    ['error', { error: 'Title is too long' }, 'Title is too long'],
    ['notice', { notice: 'The form is locked' }, 'The form is locked'],
    ['errors', { errors: ['Title is too long', 'Title is rude'] }, 'Title is too long Title is rude'],
    ['field_errors', { field_errors: [{ field: 'title', message: 'is too long' }] }, 'title: is too long'],
  ])("is the service's own: %s", async (_what, body, message) => {
    for (const status of [400, 422, 409])
      expect(await answered({ status, body })).toMatchObject({ message, httpCode: String(status) });
  });

  it.each([
    [400, 'The service refused the request with status 400'],
    [401, 'The service refused the API key'],
    [403, 'The service does not allow this operation'],
    [404, 'The service does not know this address'],
    [418, 'The service refused the request with status 418'],
    [422, 'The service refused the request with status 422'],
    [429, 'The service is limiting the rate of requests (after 5 attempts)'],
    [500, 'The service answered with status 500 (after 5 attempts)'],
  ])('is a sentence about the status %i when the service says nothing', async (status, message) => {
    for (const body of SILENT)
      expect(await answered({ status, body })).toMatchObject({ message, httpCode: String(status) });
  });
});

describe('a response that is not what was requested', () => {
  const list = (resource: string) => ({ resource, operation: 'getAll' });

  it.each<[what: string, parameters: Parameters, body: Json, named: string]>([
    ['no list of forms', listForms, { pagination: {} }, "'forms'"],
    ['an empty response', listForms, '', "there is no list of 'forms'"],
    ['a list of forms that is none', listForms, { forms: {} }, "'forms'"],
    ['a form without id', listForms, { forms: [{ title: 'x' }] }, 'id'],
    ['a form with an id that is no text', listForms, { forms: [{ id: 7 }] }, 'id'],
    ['a form that is null', listForms, { forms: [null] }, 'id'],
    ['no list of submissions', listSubmissions, { forms: [] }, "'submissions'"],
    ['a submission without id', listSubmissions, { submissions: [{ created_at: '2026-02-09T05:20:59Z' }] }, 'id'],
    ['no list of team members', list('teamMember'), {}, "'team_members'"],
    ['no team member', onMember('get'), { id: ID }, "'team_member'"],
    ['no form that was made', { resource: 'form', operation: 'create', title: 'x' }, { id: ID }, "'form'"],
    ['no message', { resource: 'teamMember', operation: 'add', emails: 'a@example.com' }, {}, "'message'"],
    ['no object', listForms, [{ id: 'x' }], 'object'],
    ...['null', '42', 'true'].map((json): [string, Parameters, Json, string] => [
      `${json} as JSON`,
      listForms,
      json,
      '',
    ]),
  ])('is reported: %s', async (_what, parameters, body, named) => {
    const headers = { 'content-type': 'application/json' };
    const { message, description } = await answered({ status: 200, body, headers }, parameters);
    expect(message).toMatch(/^The service answered in a shape this node does not know/);
    expect(message).toContain(named);
    expect(description).toMatch(/Update this package/);
    expect(harness.requests()).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed, whatever it says', async (status) => {
    for (const location of [`${harness.emulator.url}/api/external/v2/forms`, '/login', 'not an address', undefined]) {
      const error = await answered({ status, headers: location === undefined ? {} : { location } });
      expect(error).toMatchObject({
        message: anyText(/^The service redirected the request to .*, which was not followed$/),
        httpCode: String(status),
      });
    }
    expect(harness.requests()).toHaveLength(4);
  });
});

it.each([
  ['created_by_email must belong to an active team member', "Check 'Created By Email' and"],
  ['The value of time_zone is invalid', "Check 'Time Zone' and"],
  ['Organization role editor does not exist', "Check 'Organization Role' and"],
  ["Title can't be blank", "Check 'Title' and"],
  ['first_name and last_name are too long', "Check 'First Name' and 'Last Name' and"],
  ['submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.', "Check 'Submitted After' and"],
  ['Something in this order is wrong', 'Check the field named above and'],
])("the description names the field of the service's message: %s", async (message, expected) => {
  const error = await answered({ status: 422, body: { error: message } });
  expect([error.message, error.description]).toEqual([message, expect.stringContaining(expected)]);
});

describe('a write whose response cannot be used', () => {
  const create = { resource: 'form', operation: 'create', title: 'x', requestOptions: { timeout: 300 } };
  const garbled: FaultEffect = { status: 201, body: 'not gzip at all', headers: { 'content-encoding': 'gzip' } };

  it.each<[what: string, effect: FaultEffect, message: string]>([
    ['is not valid HTTP', { malformed: true }, 'The service sent broken JSON'],
    ['is cut off', { truncate: true }, 'The connection to the service was lost'],
    ['never comes', { hang: true }, 'The service did not answer in time'],
    ['is a closed connection', { reset: true }, 'The connection to the service was lost'],
    ['is garbled gzip', garbled, 'The response of the service could not be read'],
    ['is a failure of the service', { status: 500, body: { error: 'Oops' } }, 'Oops'],
  ])('because it %s: says that it may have been done, and sends nothing again', async (_what, effect, message) => {
    const error = await answered(effect, create);
    expect(error.message).toBe(message);
    expect(error.description).toContain('may have received the request and done it: look before you run this again');
    expect(harness.requests()).toHaveLength(1);
  });

  it('says that it may have been done when the response is not HTTP at all', async () => {
    const server = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 2xx gar\u0000bled\r\n\r\n')),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const credentials = { ...harness.credentials, baseUrl: `http://127.0.0.1:${port}` };
    const error = await harness.fail(create, { credentials });
    server.close();
    expect(error.message).toBe('The response of the service could not be read');
    expect(error.description).toMatch(/look before you run this again.*\(HPE_\w+\)$/);
  });
});

it('a value that is refused before a request does not look like a response: it has no status, nor a word for one', async () => {
  const error = await harness.refused({ resource: 'form', operation: 'create', title: ' ' });
  expect(error).toMatchObject({ message: "'Title' is empty", description: 'Enter a text. Nothing was sent.' });
  expect(error).toMatchObject({ httpCode: null, messages: [] });
});

it.each([0, 1, 2])(
  'without Continue On Fail the error of an item ends the run and says which: item %i',
  async (itemIndex) => {
    const [form] = addForms(harness.emulator, 1);
    const items = [0, 1, 2].map((index) => ({ id: index === itemIndex ? 'unknown' : form?.id }));
    const error = await harness.fail(getForm, { items });
    expect(error).toMatchObject({ message: 'Form not found', context: { itemIndex } });
  },
);

describe('Continue On Fail, with the middle one of three items failing', () => {
  const shown = (items: Awaited<ReturnType<typeof harness.run>>) =>
    items.map(({ json, error, pairedItem }) => [pairedItem, error === undefined ? json['title'] : json]);

  it('gives the error as that item, and does the others', async () => {
    const [one, other] = addForms(harness.emulator, 2);
    const items = [{ id: one?.id }, { id: 'unknown' }, { id: other?.id }];
    const given = await harness.run(getForm, { items, continueOnFail: true });
    expect(shown(given)).toEqual([
      [{ item: 0 }, 'Form 1'],
      [{ item: 1 }, { error: 'Form not found' }],
      [{ item: 2 }, 'Form 2'],
    ]);
    expect(harness.requests().sort()).toEqual(items.map(({ id }) => `GET /v2/forms/${id}`).sort());
    // What n8n needs to tell errors apart.
    const error = { httpCode: '404', description: anyText(/'unknown'/), context: { itemIndex: 1 } };
    expect(given[1]?.error).toMatchObject(error);
  });

  it('gives one error item for a list that failed, between the items of the others', async () => {
    const forms = addForms(harness.emulator, 2);
    forms.forEach((form, index) => addSubmissions(harness.emulator, form, index === 0 ? 150 : 2));
    const items = await harness.run(
      { ...listSubmissions, output: 'raw', formId: '={{ $json.id }}', returnAll: true },
      { items: [{ id: forms[0]?.id }, { id: 'unknown' }, { id: forms[1]?.id }], continueOnFail: true },
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
      [...Array<number>(150).fill(0), 1, 2, 2].map((item) => ({ item })),
    );
    expect(items[150]?.json).toEqual({ error: 'Form not found' });
  });

  it('keeps nothing of a list that failed on its second page', async () => {
    harness.allowUndocumented();
    const [form] = addForms(harness.emulator, 1);
    if (form) addSubmissions(harness.emulator, form, 250);
    harness.emulator.fail({
      when: { match: ({ query }) => query['page'] === '2' },
      with: { status: 403, body: { error: 'Not any more' } },
    });
    const list = { ...listSubmissions, formId: form?.id, returnAll: true };
    expect(await harness.run(list, { continueOnFail: true })).toMatchObject([
      { json: { error: 'Not any more' }, pairedItem: { item: 0 } },
    ]);
  });

  const byUrl = { __rl: true, mode: 'url', value: '={{ $json.x }}' };
  it.each<[what: string, parameters: Parameters, good: unknown, bad: unknown, message: RegExp]>([
    ['a title', { resource: 'form', operation: 'create', title: '={{ $json.x }}' }, 'Title', '', /^'Title' is empty$/],
    [
      'an address',
      { resource: 'teamMember', operation: 'add', emails: '={{ $json.x }}' },
      'a@example.com',
      'nobody',
      /^'Emails' has an entry that is not an email address: nobody$/,
    ],
    [
      'an ID in an address',
      { ...getForm, formId: byUrl },
      `https://acme.neetoform.com/forms/${ID}`,
      'https://acme.neetoform.com/',
      /no ID can be read/,
    ],
    ['a limit', { ...listForms, limit: '={{ $json.x }}' }, 1, 0, /^'Limit' is less than 1$/],
    [
      'an update',
      { ...onMember('update'), updateFields: { firstName: '={{ $json.x }}' } },
      'Jane',
      null,
      /^'Update Fields' is empty$/,
    ],
  ])(
    'links the error to its item when %s is refused, and sends the others',
    async (_what, parameters, good, bad, message) => {
      const items = await harness.run(parameters, {
        items: [{ x: good }, { x: bad }, { x: good }],
        continueOnFail: true,
      });
      const failed = items.filter(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":1}');
      expect(failed).toMatchObject([{ json: { error: anyText(message) }, error: { message: anyText(message) } }]);
      expect(harness.requests()).toHaveLength(2);
    },
  );
});
