import { describeFailure, type Subject } from '../../nodes/NeetoForm/api/errors';
import type { RequestFailure } from '../../nodes/NeetoForm/api/failure';

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
])('asks to look first only after a write that may have been received: %j', (failure, read, write) => {
  const asksToLook = (subject: Subject) => describeFailure(failure, subject).description.includes(LOOK);
  expect([asksToLook({}), asksToLook({ isWrite: true })]).toEqual([read, write]);
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
