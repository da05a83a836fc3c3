import { readBody, readStatus } from '../../nodes/NeetoForm/api/request';
import { isRecord } from '../../nodes/NeetoForm/json';

const headers = { date: 'Mon, 09 Feb 2026 08:00:00 GMT' };
const INCOMPLETE = { kind: 'unreadable', reason: 'unexpected shape', detail: 'n8n gave no full response' };
const serverTime = Date.UTC(2026, 1, 9, 8);

it.each<[what: string, response: unknown, outcome: object]>([
  ['an object', { statusCode: 200, headers, body: { a: 1 } }, { value: { body: { a: 1 }, serverTime } }],
  ['an empty body', { statusCode: 204, headers, body: '' }, { value: { body: {}, serverTime } }],
  ['no body', { statusCode: 299, headers: {} }, INCOMPLETE],
  ['no headers', { statusCode: 299, body: { a: 1 } }, { value: { body: { a: 1 } } }],
  ['two dates', { statusCode: 200, headers: { date: [headers.date] }, body: '' }, { value: { body: {} } }],
  [
    'no error',
    { statusCode: 200, body: { error: null, errors: [] } },
    { value: { body: { error: null, errors: [] } } },
  ],
  ['an error', { statusCode: 200, body: { error: 'x' } }, { kind: 'status', status: 200, message: 'x' }],
  [
    'an error and data',
    { statusCode: 200, body: { error: 'x', forms: [] } },
    { kind: 'status', status: 200, message: 'x' },
  ],
  [
    'errors',
    { statusCode: 202, body: { success: false, errors: ['x'] } },
    { kind: 'status', status: 202, message: 'x' },
  ],
  [
    'plain words',
    { statusCode: 200, body: 'Too many requests' },
    { kind: 'status', status: 200, message: 'Too many requests' },
  ],
  ['words beyond ASCII', { statusCode: 200, body: { title: 'Fête' } }, { value: { body: { title: 'Fête' } } }],
  ['100', { statusCode: 100, body: '' }, { kind: 'status', status: 100 }],
  [
    '400 in words',
    { statusCode: 400, headers: {}, body: { error: 'x', id: 1 } },
    { kind: 'status', status: 400, message: 'x' },
  ],
  [
    '429 until a date',
    { statusCode: 429, headers: { ...headers, 'retry-after': 'Mon, 09 Feb 2026 08:00:30 GMT' }, body: '' },
    { kind: 'status', status: 429, retryAfterMs: 30_000 },
  ],
  ['300', { statusCode: 300, headers: { location: '/x' }, body: '' }, { kind: 'status', status: 300, location: '/x' }],
  ['399 to nowhere', { statusCode: 399, headers: { location: ['/x'] }, body: '' }, { kind: 'status', status: 399 }],
  [
    'a redirect in words',
    { statusCode: 302, headers: { location: '/x' }, body: { error: 'Moved' } },
    { kind: 'status', status: 302, message: 'Moved', location: '/x' },
  ],
  ['a web page', { statusCode: 200, body: '\n <html>' }, { kind: 'unreadable', reason: 'web page' }],
  ['cut JSON', { statusCode: 200, body: '{"title": "<b>' }, { kind: 'unreadable', reason: 'broken JSON' }],
  ['cut JSON of tags', { statusCode: 200, body: '"<b>' }, { kind: 'unreadable', reason: 'broken JSON' }],
  [
    'a list',
    { statusCode: 200, body: [] },
    { kind: 'unreadable', reason: 'unexpected shape', detail: 'a JSON object was expected' },
  ],
  [
    'null',
    { statusCode: 200, body: null },
    { kind: 'unreadable', reason: 'unexpected shape', detail: 'a JSON object was expected' },
  ],
  ['nothing', undefined, INCOMPLETE],
  ['no status', { body: {} }, INCOMPLETE],
  ['a status that is no number', { statusCode: '200', body: {} }, INCOMPLETE],
])('reads a response: %s', (_what, response, outcome) => {
  const received = readStatus(withBytes(response));
  expect('kind' in received ? received : readBody(received, (value) => value)).toEqual(outcome);
});

/** The response as n8n gives it: the body as bytes. */
function withBytes(response: unknown): unknown {
  if (!isRecord(response) || response.body === undefined) return response;
  const { body } = response;
  return { ...response, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}
