import type { FaultEffect, Form, Json } from '../../emulator/index.ts';
import { placeholderNode } from '../support/engine/workflow';
import { addForms, addSubmissions, KEY, useHarness, type Parameters } from '../support/harness';
import { ID } from '../support/operations';
import { useFastClock } from './fastClock';

const harness = useHarness();

const listForms = { resource: 'form', operation: 'getAll' };
const getForm = (formId: string) => ({ resource: 'form', operation: 'get', formId });
const listSubmissions = { resource: 'submission', operation: 'getAll', formId: ID };

// n8n replaces a message that contains one of its error codes: EEXIST, ECONNREFUSED, EACCES, EPERM.
it.each(['Preexisting conditions', 'ECONNREFUSED', 'WorkspaceAccess', 'RolePermission'])(
  'a message stays as it is, whatever words are in it: %s',
  async (title) => {
    const named = getForm(title);
    expect((await harness.fail(named)).message).toBe(`Form does not exist: ${title}`);
    for (const id of ['one', 'two']) harness.emulator.workspace.addForm({ id, title });
    expect((await harness.fail(named)).message).toContain(`${title} (one)`);
    const [item] = await harness.run(named, { continueOnFail: true });
    expect(item?.json['error']).toContain(`${title} (one)`);
  },
);

it.each([` ${KEY}\n`, `\u200b${KEY}`, `${KEY}\u200b`])(
  'a key with blanks or an invisible character is used and hidden without them, and a message has 2,000 characters at most: %j',
  async (apiKey) => {
    const credentials = { ...harness.credentials, apiKey };
    expect(await harness.run(listForms, { credentials })).toEqual([]);
    harness.emulator.fail({ with: { status: 422, body: { error: `${KEY} is not ${KEY}: ${'x'.repeat(5_000)}` } } });
    const { message } = await harness.fail(listForms, { credentials });
    expect(message).toMatch(/^\[API key\] is not \[API key\]: x+$/);
    expect(message).toHaveLength(2_000);
  },
);

const twins = [
  { id: KEY, title: 'Contact us' },
  { id: `${KEY}-2`, title: 'Contact us' },
];

const listed = (...forms: Json[]): FaultEffect => ({ status: 200, body: { forms, total_count: forms.length } });
const elsewhere = { status: 302, headers: { location: `https://${KEY}.example.com/` } };

it.each<[what: string, parameters: Parameters, response: FaultEffect, shown: RegExp]>([
  ['the ID of forms with one title', getForm('Contact us'), listed(...twins), /several forms:.*\[API key\]/],
  ['the ID of the nearest form', getForm('Contact as'), listed(...twins), /nearest titles.*\[API key\]/],
  ['a time', listForms, listed({ id: ID, created_at: KEY }), /not an ISO 8601 date-time: "\[API key\]"/],
  ['the address of a redirect', listForms, elsewhere, /redirected the request to another address/],
])('no message has an API key that the service returns as %s', async (_what, parameters, response, shown) => {
  harness.emulator.fail({ when: { path: /\/forms$/ }, with: response });
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

it.each([
  ['form', 'create', { title: 'x' }],
  ['teamMember', 'update', { teamMemberId: ID, updateFields: { firstName: 'x' } }],
  ['teamMember', 'remove', { teamMemberId: ID }],
])('a write that the service fails to answer is not sent again: %s, %s', async (resource, operation, parameters) => {
  harness.emulator.fail({ when: { times: Infinity }, with: { status: 503 } });
  const { description } = await harness.fail({ resource, operation, ...parameters });
  expect(description).toContain('look before you run this again');
  expect(harness.requests()).toHaveLength(1);
});

it('a read whose response breaks off says what to check, and not that it may have been done', async () => {
  harness.emulator.fail({ when: { times: Infinity }, with: { truncate: true } });
  const error = await harness.fail({ resource: 'form', operation: 'getAll' });
  expect(error.message).toBe('The connection to the service was lost (after 5 attempts)');
  expect(error.description).not.toContain('before you run this again');
});

it('with Continue On Fail an item says in whole sentences what happened, and what to do', async () => {
  harness.emulator.fail({ when: { times: 2 }, with: { status: 403, body: { error: 'Not allowed.' } } });
  const [item] = await harness.run(listForms, { continueOnFail: true });
  expect(item?.json['error']).toMatch(/^Not allowed\. The API key is valid, but .*\.$/);
});

it('without Continue On Fail the error of an item ends the run and says which', async () => {
  const [form] = addForms(harness.emulator, 1);
  const items = [form?.id, form?.id, 'unknown'].map((id) => ({ id }));
  const error = await harness.fail(getForm('={{ $json.id }}'), { items });
  expect(error).toMatchObject({ message: 'Form does not exist: unknown', context: { itemIndex: 2 } });
});

describe('the form of submissions that cannot be read', () => {
  useFastClock(20);
  const formPath = /\/forms\/[^/]+$/;
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
    ['is the 403 of a server in between', { status: 403, body: '<html>No</html>' }, 'does not allow this operation', 1],
    ['is the 404 of a server in between', { status: 404, body: '<html>No</html>' }, 'does not know this address', 1],
  ])('fails them when it %s, so that columns never change by accident', async (_what, effect, message, requests) => {
    harness.emulator.fail({ when: { path: formPath, times: Infinity }, with: effect });
    const items = await runTwice();
    expect(items.map(({ json }) => json['error'])).toEqual(Array(2).fill(expect.stringContaining(message)));
    expect(formRequests()).toHaveLength(requests);
  });

  it('is found by a title that it got after the first call of an agent', async () => {
    const executeData = { node: placeholderNode(), data: { main: [[{ json: {} }]] }, source: null };
    const count = { ...listSubmissions, operation: 'count', formId: 'Feedback' };
    await harness.fail(count, { executeData, asTool: true });
    harness.emulator.workspace.addForm({ title: 'Feedback' });
    expect(await harness.run(count, { executeData, asTool: true })).toMatchObject([{ json: { count: 0 } }]);
  });

  it.each<[how: string, path: RegExp, formId: (form: Form) => string]>([
    ['by its ID', formPath, ({ id }) => id],
    ['by its title', /\/forms$/, ({ title }) => title],
  ])('is read again by Retry On Fail, when it was given %s', async (_how, path, formId) => {
    const form = harness.emulator.workspace.addForm({ title: 'Contact' });
    harness.emulator.fail({ when: { path, times: 6 }, with: { status: 503 } });
    const parameters = { ...listSubmissions, formId: formId(form) };
    // n8n hands every try the same data.
    const executeData = { node: placeholderNode(), data: { main: [[{ json: {} }]] }, source: null };
    await harness.fail(parameters, { executeData });
    await expect(harness.run(parameters, { executeData })).resolves.toEqual([]);
  });

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
