import { readResponse } from '../../nodes/NeetoForm/api/request';

const headers = { date: 'Mon, 09 Feb 2026 08:00:00 GMT' };
const INCOMPLETE = { kind: 'unreadable', reason: 'unexpected shape', detail: 'n8n gave no full response' };
const serverTime = Date.UTC(2026, 1, 9, 8);

it.each<[what: string, response: unknown, outcome: object]>([
  ['an object', { statusCode: 200, headers, body: { a: 1 } }, { status: 200, body: { a: 1 }, serverTime }],
  ['an empty body', { statusCode: 204, headers, body: '' }, { status: 204, body: {}, serverTime }],
  ['no body', { statusCode: 299, headers: {} }, { status: 299, body: {} }],
  ['no headers', { statusCode: 200, body: { a: 1 } }, { status: 200, body: { a: 1 } }],
  ['two dates', { statusCode: 200, headers: { date: [headers.date] }, body: '' }, { status: 200, body: {} }],
  [
    'no error',
    { statusCode: 200, body: { error: null, errors: [] } },
    { status: 200, body: { error: null, errors: [] } },
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
  ['100', { statusCode: 100, body: '' }, { kind: 'status', status: 100 }],
  [
    '400 in words',
    { statusCode: 400, headers: {}, body: { error: 'x', id: 1 } },
    { kind: 'status', status: 400, message: 'x' },
  ],
  [
    '429 until a date',
    { statusCode: 429, headers: { ...headers, 'retry-after': 'Mon, 09 Feb 2026 08:00:30 GMT' } },
    { kind: 'status', status: 429, retryAfterMs: 30_000 },
  ],
  ['300', { statusCode: 300, headers: { location: '/x' } }, { kind: 'status', status: 300, location: '/x' }],
  ['399 to nowhere', { statusCode: 399, headers: { location: ['/x'] } }, { kind: 'status', status: 399 }],
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
  ['nothing', undefined, INCOMPLETE],
  ['no status', { body: {} }, INCOMPLETE],
  ['a status that is no number', { statusCode: '200', body: {} }, INCOMPLETE],
])('reads a response: %s', (_what, response, outcome) => {
  expect(readResponse(response)).toEqual(outcome);
});
