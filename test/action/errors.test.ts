import type { FaultEffect, Form, Json } from '../../emulator/index.ts';
import { placeholderNode } from '../support/engine/workflow';
import { addForms, addSubmissions, KEY, useHarness, type Parameters } from '../support/harness';
import { ID } from '../support/operations';
import { useFastClock } from './fastClock';

const harness = useHarness();

const listForms = { resource: 'form', operation: 'getAll' };
const getForm = { resource: 'form', operation: 'get', formId: '={{ $json.id }}' };
const listSubmissions = { resource: 'submission', operation: 'getAll', formId: ID };

it('shows neither a key that the credential has with blanks around it, nor more than 2,000 characters', async () => {
  harness.emulator.fail({ with: { status: 422, body: { error: `${KEY} is not ${KEY}: ${'x'.repeat(5_000)}` } } });
  const { message } = await harness.fail(listForms, { credentials: { ...harness.credentials, apiKey: ` ${KEY}\n` } });
  expect(message).toHaveLength(2_000);
  expect(message).toMatch(/^\[API key\] is not \[API key\]: x+$/);
});

// n8n replaces a message that contains one of its error codes: EEXIST, ECONNREFUSED, EACCES, EPERM.
describe('a message stays as it is, whatever words are in it', () => {
  const named = (id: string) => ({ resource: 'form', operation: 'get', formId: { __rl: true, mode: 'id', value: id } });
  const WORDS = ['Preexisting conditions', 'ECONNREFUSED', 'WorkspaceAccess', 'RolePermission'];

  it.each(WORDS)('a title: %s', async (title) => {
    expect((await harness.fail(named(title))).message).toBe(`Form does not exist: ${title}`);
    for (const id of ['one', 'two']) harness.emulator.workspace.addForm({ id, title });
    expect((await harness.fail(named(title))).message).toContain(`${title} (one)`);
    const [item] = await harness.run(named(title), { continueOnFail: true });
    expect(item?.json['error']).toContain(`${title} (one)`);
  });

  it.each(WORDS)("the service's own words: %s", async (error) => {
    harness.emulator.fail({ with: { status: 422, body: { error } } });
    expect((await harness.fail({ resource: 'form', operation: 'create', title: 'x' })).message).toBe(error);
  });

  it.each(WORDS)('a value: %s', async (value) => {
    expect((await harness.fail({ ...listForms, returnAll: value })).message).toContain(value);
  });
});

it.each<[credentials: object, requestOptions: object, said: string]>([
  [{ subdomain: 'acme' }, { allowUnauthorizedCerts: true }, 'The API key was not sent: with'],
  [{ subdomain: 'my proxy' }, {}, "The credential's 'Subdomain' is not a NeetoForm workspace"],
  [{ subdomain: 'ECONNREFUSED!' }, {}, "The credential's 'Subdomain' is not a NeetoForm workspace"],
])('what the credential refuses is not sent again, and has its own words: %j', async (given, requestOptions, said) => {
  const credentials = { apiKey: KEY, ...given };
  const { message } = await harness.fail({ ...listForms, requestOptions }, { credentials });
  expect(message.startsWith(said)).toBe(true);
  expect(message).not.toContain('attempts');
});

it.each([`\u200b${KEY}`, `${KEY}\u200b`])(
  'a key with an invisible character is used and hidden without it',
  async (apiKey) => {
    const credentials = { ...harness.credentials, apiKey };
    expect(await harness.run(listForms, { credentials })).toEqual([]);
    harness.emulator.fail({ with: { status: 422, body: { error: `Not ${KEY}` } } });
    expect((await harness.fail(listForms, { credentials })).message).toBe('Not [API key]');
  },
);

it('no message has an API key that is in the address of a redirect', async () => {
  harness.emulator.fail({ with: { status: 302, headers: { location: `https://${KEY}.example.com/` } } });
  expect((await harness.fail(listForms)).message).toContain('redirected the request to another address');
});

const twins = [
  { id: KEY, title: 'Contact us' },
  { id: `${KEY}-2`, title: 'Contact us' },
];

it.each<[what: string, parameters: Parameters, forms: Json[], shown: RegExp]>([
  ['the ID of forms with one title', { ...getForm, formId: 'Contact us' }, twins, /several forms:.*\[API key\]/],
  ['the ID of the nearest form', { ...getForm, formId: 'Contact as' }, twins, /nearest titles.*\[API key\]/],
  ['a time', listForms, [{ id: ID, created_at: KEY }], /not an ISO 8601 date-time: "\[API key\]"/],
])('no message has an API key that the service returns as %s', async (_what, parameters, forms, shown) => {
  const body = { forms, total_count: forms.length };
  harness.emulator.fail({ when: { path: /\/forms$/ }, with: { status: 200, body } });
  const { message, description } = await harness.fail(parameters);
  expect(`${message} ${description}`).toMatch(shown);
});

it.each([listForms, listSubmissions, { ...listForms, resource: 'teamMember' }])(
  'more results than n8n can take are refused after one page: %j',
  async (parameters) => {
    const many = { pagination: { total_records: 120_001 }, total_count: 120_001 };
    harness.emulator.fail({ when: { times: Infinity }, with: { rewrite: (body) => ({ ...body, ...many }) } });
    harness.emulator.workspace.addForm({ id: ID, title: 'Contact' });
    const { message } = await harness.fail({ ...parameters, output: 'raw', returnAll: true });
    expect(message).toMatch(/^The list is too long/);
  },
);

it('a write whose response breaks off says that it may have been done, and is not sent again', async () => {
  harness.emulator.fail({ when: { times: Infinity }, with: { truncate: true } });
  const error = await harness.fail({ resource: 'form', operation: 'create', title: 'x' });
  expect(error.message).toBe('The connection to the service was lost');
  expect(error.description).toContain('may have received the request and done it: look before you run this again');
  expect(harness.requests()).toHaveLength(1);
});

it('a value that is refused before a request does not look like a response: it has no status, nor a word for one', async () => {
  const error = await harness.refused({ resource: 'form', operation: 'create', title: ' ' });
  expect(error).toMatchObject({ message: "'Title' is empty", description: 'Enter a text. Nothing was sent.' });
  expect(error).toMatchObject({ httpCode: null, messages: [] });
});

it('without Continue On Fail the error of an item ends the run and says which', async () => {
  const [form] = addForms(harness.emulator, 1);
  const items = [form?.id, form?.id, 'unknown'].map((id) => ({ id }));
  const error = await harness.fail(getForm, { items });
  expect(error).toMatchObject({ message: 'Form does not exist: unknown', context: { itemIndex: 2 } });
});

describe('the form of submissions that cannot be read', () => {
  useFastClock(20);
  const formPath = /\/forms\/[^/]+$/;
  const GIVEN: Array<[how: string, path: RegExp, formId: (form: Form) => string]> = [
    ['by its ID', formPath, ({ id }) => id],
    ['by its title', /\/forms$/, ({ title }) => title],
  ];
  const formRequests = () => harness.requests().filter((request) => formPath.test(request));
  const runTwice = async (requestOptions = {}) => {
    const form = harness.emulator.workspace.addForm({ title: 'Contact' });
    addSubmissions(harness.emulator, form, 1);
    const parameters = { ...listSubmissions, formId: form.id, requestOptions };
    return await harness.run(parameters, { items: [{}, {}], continueOnFail: true });
  };
  it.each<[what: string, effect: FaultEffect, message: string, requests: number]>([
    ['fails', { status: 503, body: { error: 'Busy' } }, 'Busy (after 5 attempts)', 5],
    ['is something else', { status: 200, body: { id: ID } }, "there is no list of 'questions'", 1],
  ])('fails them when it %s, so that columns never change by accident', async (_what, effect, message, requests) => {
    harness.emulator.fail({ when: { path: formPath, times: Infinity }, with: effect });
    const items = await runTwice();
    expect(items.map(({ json }) => json['error'])).toEqual(Array(2).fill(expect.stringContaining(message)));
    expect(formRequests()).toHaveLength(requests);
  });

  it.each([403, 404])('fails them when a server in between answers with a web page and %i', async (status) => {
    harness.emulator.fail({ when: { path: formPath, times: Infinity }, with: { status, body: '<html>No</html>' } });
    const items = await runTwice();
    expect(items.map(({ json }) => 'error' in json)).toEqual([true, true]);
  });

  it('is found by a title that it got after the first call of an agent', async () => {
    const executeData = { node: placeholderNode(), data: { main: [[{ json: {} }]] }, source: null };
    const count = { ...listSubmissions, operation: 'count', formId: 'Feedback' };
    await harness.fail(count, { executeData, asTool: true });
    harness.emulator.workspace.addForm({ title: 'Feedback' });
    expect(await harness.run(count, { executeData, asTool: true })).toMatchObject([{ json: { count: 0 } }]);
  });

  it.each(GIVEN)('is read again by Retry On Fail, when it was given %s', async (_how, path, formId) => {
    const form = harness.emulator.workspace.addForm({ title: 'Contact' });
    harness.emulator.fail({ when: { path, times: 6 }, with: { status: 503 } });
    const parameters = { ...listSubmissions, formId: formId(form) };
    // n8n hands every try the same data.
    const executeData = { node: placeholderNode(), data: { main: [[{ json: {} }]] }, source: null };
    await harness.fail(parameters, { executeData });
    await expect(harness.run(parameters, { executeData })).resolves.toEqual([]);
  });

  it.each(GIVEN)(
    'is read again for an input item that runs later, when it was given %s',
    async (_how, path, formId) => {
      const form = harness.emulator.workspace.addForm({ title: 'Contact' });
      harness.emulator.fail({ when: { path, times: 5 }, with: { status: 503, body: { error: 'Busy' } } });
      const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 1_000 } } };
      const parameters = { ...listSubmissions, formId: formId(form), requestOptions, returnAll: true };
      addSubmissions(harness.emulator, form, 1);
      const items = await harness.run(parameters, { items: [{}, {}], continueOnFail: true });
      expect(items.map(({ json }) => 'error' in json)).toEqual([true, false]);
    },
  );

  it.each<[when: string, requestOptions: object]>([
    ['at the same time', {}],
    ['that runs later', { batching: { batch: { batchSize: 1, batchInterval: 200 } } }],
  ])('is still read for another input item %s', async (_when, requestOptions) => {
    harness.emulator.fail({ when: { path: formPath }, with: { status: 503 } });
    harness.emulator.fail({ when: { path: /submissions$/ }, with: { status: 403, body: { error: 'No' } } });
    const items = await runTwice(requestOptions);
    expect(items.map(({ json, error }) => error?.message ?? json['form_title']).sort()).toEqual(['Contact', 'No']);
    expect(formRequests()).toHaveLength(2);
  });
});
