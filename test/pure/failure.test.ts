import { UserError } from 'n8n-workflow';
import {
  failureFromError,
  parseRetryAfter,
  serviceMessage,
  type RequestFailure,
} from '../../nodes/NeetoForm/api/failure';
import { words } from '../support/words';

describe('the words of an error body', () => {
  it.each([
    ['error, notice and errors', { errors: ['Three', 'One'], notice: 'Two', error: 'One' }, 'One Two Three'],
    [
      'errors and field_errors',
      { field_errors: [{ field: 'title', message: 'empty' }], errors: ['No'] },
      'No title: empty',
    ],
    ['message', { message: 'Plan expired' }, 'Plan expired'],
    ['error as an object', { error: { message: 'Title is empty', code: 7 } }, 'Title is empty'],
    ['errors as an object', { errors: { title: ['is empty'], base: 'No' } }, 'title: is empty No'],
    ['the key of a field that is called field', { errors: { field: ['is too long'] } }, 'field: is too long'],
    ['field_errors as an object', { field_errors: { email: { message: 'is taken' } } }, 'email: is taken'],
    ['error as a number', { error: 42 }, '42'],
    ['detail', { detail: 'Plan expired' }, 'Plan expired'],
    ['plain text', ' Rate limit exceeded\n', 'Rate limit exceeded'],
    ['plain text with other signs in it', 'Use < 5 [or {6}]', 'Use < 5 [or {6}]'],
    [
      'a message that is a list',
      { errors: [{ field: 'title', message: ['is empty', 'No'] }] },
      'title: is empty title: No',
    ],
    ['a text with blanks around it', { errors: [' One\n'] }, 'One'],
    ['a list', ['Title is empty'], 'Title is empty'],
    ['the next when one is empty', { error: ' ', notice: '', errors: [], field_errors: [{}, { message: 'No' }] }, 'No'],
    ['the texts among other things', { errors: [null, 1, 'Only this', {}] }, 'Only this'],
  ])('are read from %s', (_what, body, words) => {
    expect(serviceMessage(body)).toBe(words);
  });

  it.each<unknown[]>([
    ...[[undefined], [null], [{}], [{ error: null }], [{ error: { code: 1 } }]],
    ...[
      [' <html>'],
      ['{"error": "cut'],
      ['["cut'],
      [' '],
      [{ field_errors: [null, 1, {}] }],
      [{ title: 'of something' }],
    ],
  ])('are none in %j', (body) => {
    expect(serviceMessage(body)).toBeUndefined();
  });

  it('are none in a body that is nested without end', () => {
    const depth = 20_000;
    expect(serviceMessage(JSON.parse('['.repeat(depth) + '"words"' + ']'.repeat(depth)))).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-02-09T08:00:00Z');

  it.each([
    ['0', 0],
    ['1.5', 1_500],
    [' 120 ', 120_000],
    ['Mon, 09 Feb 2026 08:00:30 GMT', 30_000],
    ['Mon, 09 Feb 2026 07:59:00 GMT', 0],
    // The two older forms of HTTP. Both are in UTC.
    ['Monday, 09-Feb-26 08:00:30 GMT', 30_000],
    ['Mon Feb  9 08:00:30 2026', 30_000],
  ])('of %p is understood', (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });

  it.each([
    ...[undefined, null, '', ' ', 7, ['7'], {}, 'May 5', 'Mon, 09 Feb 2099 08:00:00 GMT'],
    ...words('soon 7s 99999999999999 x7 -5 -1.5'),
  ])('of %p says nothing', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});

describe('what was thrown', () => {
  const LOST: RequestFailure = { kind: 'no response', reason: 'connection lost' };
  const NOT_SENT: RequestFailure = { kind: 'not sent', message: 'by a proxy' };

  it.each<[codes: string, failure: RequestFailure | Partial<RequestFailure>]>([
    ['ECONNREFUSED', { kind: 'no response', reason: 'connection refused' }],
    ['ENOTFOUND EAI_AGAIN EAI_FAIL', { kind: 'no response', reason: 'unknown host' }],
    ['EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL', { kind: 'no response', reason: 'no route' }],
    ['ECONNABORTED ETIMEDOUT ESOCKETTIMEDOUT', { kind: 'no response', reason: 'timeout' }],
    ['ECONNRESET EPIPE EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_BAD_RESPONSE E_SOMETHING_NEW', LOST],
    ['HPE_INVALID_CONSTANT Z_DATA_ERROR', LOST],
    ['ERR_TLS_CERT_ALTNAME_INVALID DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN', { kind: 'untrusted' }],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      { kind: 'untrusted' },
    ],
    ['CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_UNTRUSTED CERT_REVOKED', { kind: 'untrusted' }],
    ['ERR_INVALID_URL ERR_INVALID_CHAR ERR_UNESCAPED_CHARACTERS ERR_BAD_OPTION_VALUE', NOT_SENT],
    ['ERR_NOT_SUPPORT ERR_ILLEGAL_CONSTRUCTOR ERR_UNSUPPORTED_ESM_URL_SCHEME', NOT_SENT],
    ['ERR_CANCELED', { kind: 'canceled' }],
  ])('with the code %s is known, however deep the code lies', (codes, failure) => {
    for (const code of words(codes)) {
      const cause = new Error('middle', { cause: Object.assign(new Error('inner'), { code }) });
      const outer = Object.assign(new Error('by a proxy', { cause }), { code: 500, httpCode: '500' });
      expect(failureFromError(outer)).toMatchObject(failure);
    }
  });

  it('is known by what n8n kept of the code where it lost the cause (2.30 and older)', () => {
    const thrown = new Error('The connection to the server was closed unexpectedly');
    const kept = Object.assign(thrown, { httpCode: 'ECONNRESET', cause: undefined });
    expect(failureFromError(kept)).toMatchObject(LOST);
  });

  it.each<[message: string, failure: RequestFailure]>([
    ['Domain not allowed', { kind: 'not sent', message: 'Domain not allowed' }],
    ['Proxy connection ended before receiving CONNECT response', { kind: 'no response', reason: 'no route' }],
    ['tunneling socket could not be established', { kind: 'no response', reason: 'no route' }],
  ])('without a code is known by its words: %s', (message, failure) => {
    expect(failureFromError(new Error(message))).toEqual(failure);
  });

  it.each([undefined, null, 'x', {}, new Error('')])('without words says that nothing was sent: %j', (thrown) => {
    expect(failureFromError(thrown)).toEqual({ kind: 'not sent', message: 'n8n could not send the request' });
  });

  it('is known by the words of the credential, however deep these lie', () => {
    const cause = new Error('middle', { cause: new UserError('The API key was not sent') });
    const thrown = Object.assign(new Error('outer', { cause }), { code: 'ECONNRESET' });
    expect(failureFromError(thrown)).toEqual({ kind: 'not sent', message: 'The API key was not sent' });
  });

  it('is never kept itself, because it holds the request', () => {
    const config = { headers: { 'X-Api-Key': 'secret' } };
    const thrown = Object.assign(new Error('x'), { code: 'ECONNRESET', config });
    expect(JSON.stringify(failureFromError(thrown))).not.toContain('secret');
  });
});
