import { NodeApiError } from 'n8n-workflow';

import { hasStatus, isTransient } from '../../nodes/NeetoForm/api/nodeErrors';
import { unlessPastEnd } from '../../nodes/NeetoForm/api/service';
import type { NoResponseReason, RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { describeFailure, toNodeApiError, type Subject } from '../../nodes/NeetoForm/api/messages';
import { placeholderNode } from '../support/engine/workflow';

const errorOf = (failure: RequestFailure) => toNodeApiError(placeholderNode(), failure, {});
const status = (code: number): RequestFailure => ({ kind: 'status', status: code, message: 'No', retryAfterMs: 7 });
const lost = (reason: NoResponseReason): RequestFailure => ({ kind: 'no response', reason });
const broken: RequestFailure = { kind: 'unreadable', reason: 'broken JSON' };
const strange: RequestFailure = { kind: 'unreadable', reason: 'unexpected shape' };

const FAILURES: Array<[RequestFailure, told: object, mayBeDone: boolean]> = [
  [status(401), { httpCode: '401', failure: { cause: 'credential-invalid' } }, false],
  [status(404), { httpCode: '404', failure: { cause: 'configuration-invalid' } }, false],
  [status(429), { httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 7 } }, false],
  [status(500), { httpCode: '500', failure: { cause: 'temporarily-unavailable', retryAfterMs: 7 } }, true],
  [status(300), { httpCode: '300', failure: { cause: 'configuration-invalid' } }, false],
  [{ kind: 'unreadable', reason: 'web page' }, { failure: { cause: 'configuration-invalid' } }, false],
  [broken, { failure: { cause: 'temporarily-unavailable' } }, true],
  [strange, { failure: { cause: 'node-defect' } }, true],
  [lost('timeout'), { failure: { cause: 'temporarily-unavailable' } }, true],
  [lost('connection refused'), { failure: { cause: 'temporarily-unavailable' } }, false],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, { failure: { cause: 'temporarily-unavailable' } }, false],
  [{ kind: 'not sent', message: 'No' }, { failure: { cause: 'configuration-invalid' } }, false],
  [{ kind: 'canceled' }, {}, true],
];

it.each(FAILURES)('tells n8n by the cause whether to try again after %j', (failure, told) => {
  const text = { message: expect.stringMatching(/./) as string, description: expect.stringMatching(/./) as string };
  expect(describeFailure(failure, {})).toEqual({ ...text, ...told });
});

it.each(FAILURES)(
  'asks to look first only after a write that may have been received: %j',
  (failure, _told, mayBeDone) => {
    const descriptions = [false, true].map((isWrite) => describeFailure(failure, { isWrite }).description);
    expect(descriptions.map((text) => text.includes('look before you run this again'))).toEqual([false, mayBeDone]);
    expect(descriptions[1]).not.toMatch(/ $| {2}/);
  },
);

const FORM: Subject = { what: 'form', id: 'f1', parameter: 'Form' };

it.each<[words: string, Subject, description: RegExp]>([
  ['Form does not exist.', FORM, /the ID 'f1'\. If .* none, choose another in 'Form'\.$/],
  ['Team member not found', { what: 'team member', id: 'm1' }, /the ID 'm1'.*'team member'\. Only active team members/],
  ['No', { parameter: 'Emails' }, /^At least one address in 'Emails' is not an active team member/],
  ['No', {}, /^Check the credential's 'Subdomain'/],
])('keeps the words of a 404, and says beside them what to check: %s', (message, subject, description) => {
  const failure: RequestFailure = { kind: 'status', status: 404, message };
  const text = describeFailure(failure, subject);
  expect(text).toMatchObject({ message, description: expect.stringMatching(description) as string });
  const { id } = subject;
  const named = id === undefined ? message : `${message.replace('.', '')}: ${id}`;
  const inPanel = describeFailure(failure, { ...subject, isOperation: true });
  expect(inPanel.message).toBe(named);
  expect(inPanel.description.includes('ID or title')).toBe(subject.what === 'form');
});

it('gives the hint of a 404 with no other status, and an agent no empty one', () => {
  expect(JSON.stringify(describeFailure(status(422), { hint: 'Near: x' }))).not.toContain('Near');
  expect(describeFailure(status(404), {}, true).message).toBe('No');
});

it.each([401, 403, 404, 409, 422])('explains what the service explains itself, whatever the status: %i', (code) => {
  const subject: Subject = { what: 'team member', id: 'm1', parameter: 'Team Member', isWrite: true };
  const textFor = (message: string) => describeFailure({ kind: 'status', status: code, message }, subject);
  const admin = 'Cannot remove the last admin of the workspace';
  expect(textFor(admin)).toMatchObject({ message: admin, httpCode: String(code) });
  expect(textFor(admin).description).toMatch(/^A workspace needs an admin/);
  const ROLE = /^The workspace has no such role.*Admin and Standard/;
  for (const words of ['not found', 'does not exist', 'is not valid', 'is not a role', 'is invalid', 'unknown'])
    for (const role of ['Organization role', 'organization_role'])
      expect(textFor(`${role} ${words}`).description).toMatch(ROLE);
  const zones = ['Time zone is not included in the list', 'time_zone: invalid', 'Timezone unknown'];
  for (const words of [...zones, 'Invalid time_zone', 'Unknown timezone'])
    expect(textFor(words).description).toMatch(/^Choose one from the list of 'Time Zone'.*Europe\/Berlin/);
  expect(textFor('Your organization role does not allow this').description).not.toMatch(/no such role/);
});

it('makes an error that says how often the request was sent, and lists its message', () => {
  const message = 'No (after 3 attempts)';
  const error = toNodeApiError(placeholderNode(), status(429), {}, 3);
  expect(error).toMatchObject({ message, messages: [message], httpCode: '429' });
  expect(errorOf(broken)).toMatchObject({ httpCode: null, context: {} });
  expect(errorOf(status(429)).message).toBe('No');
});

it('knows whether an error goes away by itself', () => {
  const errors = [429, 500, 404].map((code) => errorOf(status(code)));
  const others = [new NodeApiError(placeholderNode(), {}), new Error('No'), undefined];
  expect([...errors, ...others].map(isTransient)).toEqual([true, true, false, false, false, false]);
});

it('an error of another status is not taken for the end of a list', async () => {
  const error = errorOf(status(500));
  await expect(unlessPastEnd(Promise.reject(error))).rejects.toBe(error);
});

it('an error without a status of the service has none of those that are asked for', () => {
  const others = [Object.assign(new Error('No'), { httpCode: '404' }), new NodeApiError(placeholderNode(), {})];
  expect(others.map((error) => hasStatus(error, '404'))).toEqual([false, false]);
});

const node: Subject = { isOperation: true };
const bare = (code: number, retryAfterMs?: number): RequestFailure => ({ kind: 'status', status: code, retryAfterMs });
const redirect = (location?: string, message?: string) => ({ kind: 'status', status: 300, message, location }) as const;
const refused = (code?: string): RequestFailure => ({ kind: 'no response', reason: 'connection refused', code });
const ADDRESS = /'Subdomain'.*'Base URL'/;

it.each<[RequestFailure, Subject, message: RegExp, description: RegExp]>([
  [bare(200), {}, /^The service refused the request with status 200$/, /\(status 200\)/],
  [bare(400), node, /^The service refused the request with status 400$/, /\(status 400\)\. Correct what it names/],
  [bare(401), node, /^The service refused the API key$/, /'API Key'.*another workspace/],
  [bare(403), node, /^The service does not allow this operation$/, /key is valid.*role/],
  [bare(404), node, /^The service does not know this address$/, ADDRESS],
  [bare(429), node, /^The service is limiting the rate of requests$/, /Batching.*later/],
  [bare(500), node, /^The service answered with status 500$/, /Nothing is wrong on your side/],
  [lost('timeout'), node, /did not answer in time/, /^(?!.*Subdomain).*Request Options/],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, node, /not trusted/, /^(?!.*Try again).*Request Options/],
  [bare(429), {}, /./, /^(?!.*Batching).*Try again later\./],
  [bare(429, 1_000), {}, /./, /Try again in 1 second\./],
  [bare(429, 61_500), {}, /./, /Try again in 62 seconds\./],
  [bare(429, 599_999), {}, /./, /Try again in 10 minutes\./],
  [bare(429, 7_200_000), {}, /./, /Try again in 2 hours\./],
  [bare(429, 8_640_000_000), {}, /./, /Try again in 100 days\./],
  [redirect('https://elsewhere.example/forms?a=b'), {}, / to elsewhere\.example,/, ADDRESS],
  [redirect(), {}, / to another address,/, ADDRESS],
  [redirect('https://a.example/b', 'Moved'), {}, /^Moved$/, /redirected .* to a\.example,.*'Subdomain'/],
  [strange, {}, /does not know$/, /./],
  [{ ...strange, detail: 'no id' }, {}, /does not know: no id$/, /./],
  [{ kind: 'unreadable', reason: 'web page' }, {}, /web page instead of data/, ADDRESS],
  [lost('unknown host'), {}, /no server at this address/, ADDRESS],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, {}, /not trusted/, ADDRESS],
  [refused(), node, /./, /^(?!.*Request Options).*'Base URL'.*later\.$/],
  [refused('ECONNRESET'), {}, /./, /later\. \(ECONNRESET\)$/],
])('says what happened, and what to do: %j in a panel of %j', (failure, subject, message, description) => {
  const text = describeFailure(failure, subject);
  expect(text.message).toMatch(message);
  expect(text.description).toMatch(description);
  // The trigger and the lists of the editor have no such fields.
  const elsewhere = describeFailure(failure, { ...subject, isOperation: false });
  expect(`${elsewhere.message} ${elsewhere.description}`).not.toMatch(/Request Options|Batching/);
});
