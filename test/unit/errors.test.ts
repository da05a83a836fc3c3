import { NodeApiError } from 'n8n-workflow';

import {
  describeFailure,
  isAgentTool,
  isTransient,
  toNodeApiError,
  type Subject,
} from '../../nodes/NeetoForm/api/errors';
import type { RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { placeholderNode } from '../support/engine/workflow';

const LOOK = 'look before you run this again';
const status = (code: number): RequestFailure => ({ kind: 'status', status: code, message: 'No', retryAfterMs: 7 });
const timeout = (unsent: boolean): RequestFailure => ({ kind: 'no response', reason: 'timeout', unsent });
const broken: RequestFailure = { kind: 'unreadable', reason: 'broken JSON' };
const strange: RequestFailure = { kind: 'unreadable', reason: 'unexpected shape' };

/** What n8n's scheduler and its log get, beside the text. */
function classOf(failure: RequestFailure) {
  const { message, description, ...classification } = describeFailure(failure, {});
  expect([message, description]).not.toContain('');
  return classification;
}

it.each<[RequestFailure, ReturnType<typeof classOf>]>([
  [status(401), { httpCode: '401', failure: { cause: 'credential-invalid' } }],
  [status(403), { httpCode: '403', failure: { cause: 'credential-invalid' } }],
  [status(404), { httpCode: '404', failure: { cause: 'configuration-invalid' } }],
  [status(422), { httpCode: '422', failure: { cause: 'configuration-invalid' } }],
  [status(429), { httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 7 } }],
  [status(500), { httpCode: '500', failure: { cause: 'temporarily-unavailable', retryAfterMs: 7 } }],
  [
    { kind: 'redirect', status: 302 },
    { httpCode: '302', failure: { cause: 'configuration-invalid' } },
  ],
  [{ kind: 'unreadable', reason: 'web page' }, { failure: { cause: 'configuration-invalid' } }],
  [broken, { failure: { cause: 'temporarily-unavailable' } }],
  [strange, { failure: { cause: 'node-defect' } }],
  [timeout(false), { failure: { cause: 'temporarily-unavailable' } }],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, { failure: { cause: 'temporarily-unavailable' } }],
  [{ kind: 'not sent', message: 'No' }, { failure: { cause: 'configuration-invalid' } }],
  [{ kind: 'canceled' }, {}],
])('tells n8n by the cause whether to try again after %j', (failure, expected) => {
  expect(classOf(failure)).toEqual(expected);
});

it.each<[RequestFailure, read: boolean, write: boolean]>([
  [status(503), false, true],
  [status(429), false, false],
  [broken, false, true],
  [strange, false, true],
  [timeout(false), false, true],
  [timeout(true), false, false],
  [{ kind: 'no response', reason: 'connection lost', unsent: false, code: 'ECONNRESET' }, false, true],
])('asks to look first only after a write that may have been received: %j', (failure, read, write) => {
  const asksToLook = (subject: Subject) => describeFailure(failure, subject).description.includes(LOOK);
  expect([asksToLook({}), asksToLook({ isWrite: true })]).toEqual([read, write]);
  expect(describeFailure(failure, { isWrite: true }).description).not.toMatch(/ $| {2}/);
});

it.each<[Subject, message: string, description: RegExp]>([
  [{ what: 'form', id: 'f1', parameter: 'Form' }, 'Form not found', /the ID 'f1'\. Choose another in 'Form'\.$/],
  [{ what: 'team member', id: 'm1' }, 'Team member not found', /the ID 'm1'.*'team member'\. Only active team members/],
  [{ parameter: 'Emails' }, 'No', /^At least one address in 'Emails' is not an active team member/],
  [{}, 'No', /^Check the credential's 'Subdomain'/],
])('says what to check when the service does not find it: %j', (subject, message, description) => {
  const text = describeFailure(status(404), subject);
  expect(text.message).toBe(message);
  expect(text.description).toMatch(description);
  if (subject.id === undefined) return;
  expect(describeFailure(status(404), subject, true).message).toBe(`${message}: ${subject.id}`);
});

it('makes an error that says how often the request was sent, and lists its message', () => {
  const message = 'No (after 3 attempts)';
  const error = toNodeApiError(placeholderNode(), status(429), {}, 3);
  expect(error).toMatchObject({ message, messages: [message], httpCode: '429' });
  expect(toNodeApiError(placeholderNode(), status(429), {}).message).toBe('No');
});

it.each<[what: string, error: unknown, expected: boolean]>([
  ['a 429', toNodeApiError(placeholderNode(), status(429), {}), true],
  ['a 500', toNodeApiError(placeholderNode(), status(500), {}), true],
  ['a 404', toNodeApiError(placeholderNode(), status(404), {}), false],
  ['an error of n8n', new NodeApiError(placeholderNode(), {}), false],
  ['another error', new Error('No'), false],
  ['nothing', undefined, false],
])('knows whether an error goes away by itself: %s', (_what, error, expected) => {
  expect(isTransient(error)).toBe(expected);
});

it.each(['ECONNRESET', undefined])('adds the code to the description, if there is one: %s', (code) => {
  const { description } = describeFailure({ kind: 'no response', reason: 'refused', unsent: true, code }, {});
  expect(description).toMatch(code === undefined ? /wrong port\.$/ : /wrong port\. \(ECONNRESET\)$/);
});

it.each(['neetoFormTool', 'neetoForm', 'ToolBox'])("knows an agent's tool by its type: %s", (type) => {
  expect(isAgentTool(placeholderNode('Node', { type }))).toBe(type === 'neetoFormTool');
});

it.each<[location: string | undefined, host: string]>([
  ['https://elsewhere.example/forms?a=b', 'to elsewhere.example,'],
  ['/login', 'to another address,'],
  [undefined, 'to another address,'],
])('names the host of a redirect to %s and nothing else of it', (location, host) => {
  expect(describeFailure({ kind: 'redirect', status: 302, location }, {}).message).toContain(host);
});

it('names what is missing in a response of another shape, if that is known', () => {
  expect(describeFailure(strange, {}).message).toMatch(/does not know$/);
  expect(describeFailure({ ...strange, detail: 'no id' }, {}).message).toMatch(/does not know: no id$/);
});

it.each([
  [400, 'The service refused the request with status 400', /Check the field named above/],
  [401, 'The service refused the API key', /'API Key'.*another workspace/],
  [403, 'The service does not allow this operation', /key is valid.*role/],
  [404, 'The service does not know this address', /'Subdomain'.*'Base URL'/],
  [422, 'The service refused the request with status 422', /Check the field named above/],
  [429, 'The service is limiting the rate of requests', /Batching.*later/],
  [500, 'The service answered with status 500', /Nothing is wrong on your side/],
])('describes the status %i when the service gives no message', (code, message, description) => {
  const text = describeFailure({ kind: 'status', status: code }, {});
  expect(text).toMatchObject({ message, httpCode: String(code) });
  expect(text.description).toMatch(description);
});

it.each<[RequestFailure, message: RegExp]>([
  [{ kind: 'unreadable', reason: 'web page' }, /web page instead of data/],
  [{ kind: 'no response', reason: 'unknown host', unsent: true }, /no server at this address/],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, /not trusted/],
])('asks to check the address after %j', (failure, message) => {
  const text = describeFailure(failure, {});
  expect(text.message).toMatch(message);
  expect(text.description).toMatch(/'Subdomain'.*'Base URL'/);
});

it.each([
  ['created_by_email must belong to an active team member', "Check 'Created By Email' and"],
  ['The value of time_zone is invalid', "Check 'Time Zone' and"],
  ['Organization role editor does not exist', "Check 'Organization Role' and"],
  ["Title can't be blank", "Check 'Title' and"],
  ['first_name and last_name are too long', "Check 'First Name' and 'Last Name' and"],
  ['submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.', "Check 'Submitted After' and"],
  ['Something in this order is wrong', 'Check the field named above and'],
])("names the field of the service's message: %s", (message, expected) => {
  expect(describeFailure({ kind: 'status', status: 422, message }, {}).description).toContain(expected);
});
