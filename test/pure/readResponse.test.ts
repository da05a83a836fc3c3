import { Readable } from 'node:stream';
import { parseBody, readStatus } from '../../nodes/NeetoForm/api/request';
import { readFileResponse } from '../../nodes/NeetoForm/downloads/get';

const date = 'Mon, 09 Feb 2026 08:00:00 GMT';
const aMinuteLater = 'Mon, 09 Feb 2026 08:01:00 GMT';
const serverTime = Date.UTC(2026, 1, 9, 8);
/** The local clock, 20 s ahead. */
const now = serverTime + 20_000;

/** What a response is read as; its body as n8n gives it: bytes. */
function outcomeOf(statusCode: unknown, body: unknown, headers: unknown = { date }): object {
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const received = readStatus({ statusCode, headers, body: bytes }, now);
  return 'kind' in received ? received : parseBody(received, (value) => value);
}

const success = (body: object) => ({ value: { body, serverTime } });
const refusal = (status: number, more: object = {}) => ({ kind: 'status', status, ...more });
const unreadable = (reason: string, detail?: string) => ({ kind: 'unreadable', reason, detail });
const INCOMPLETE = unreadable('unexpected shape', 'n8n gave no full response');
const NO_OBJECT = unreadable('unexpected shape', 'a JSON object was expected');

it.each<[what: string, status: unknown, body: unknown, outcome: object]>([
  ['an object', 200, { a: 1 }, success({ a: 1 })],
  ['an empty body', 204, '', success({})],
  ['no error', 299, { error: null, errors: [] }, success({ error: null, errors: [] })],
  ['words beyond ASCII', 200, { title: 'Fête' }, success({ title: 'Fête' })],
  ['an object behind a byte order mark', 200, '\uFEFF{"title":"Fête"}', success({ title: 'Fête' })],
  ['a byte order mark in a text', 200, '{"title":"\uFEFFa"}', success({ title: '\uFEFFa' })],
  ['400 in words behind a byte order mark', 400, '\uFEFF{"error":"x"}', refusal(400, { message: 'x' })],
  ['an error and data', 200, { error: 'x', forms: [] }, refusal(200, { message: 'x' })],
  ['errors', 202, { success: false, errors: ['x'] }, refusal(202, { message: 'x' })],
  ['field_errors', 200, { field_errors: { title: ['is empty'] } }, refusal(200, { message: 'title: is empty' })],
  ['plain words', 200, 'Too many requests', refusal(200, { message: 'Too many requests' })],
  ['100', 100, '', refusal(100)],
  ['400 in words', 400, { error: 'x', id: 1 }, refusal(400, { message: 'x' })],
  ['a web page', 200, '\n <html>', unreadable('web page')],
  ...['"<b>', ' {"title": 1', '[{"id": 1', '12.'].map((cut): [string, number, string, object] => [
    `cut JSON: ${cut}`,
    200,
    cut,
    unreadable('broken JSON'),
  ]),
  ['a list', 200, [], NO_OBJECT],
  ['null', 200, null, NO_OBJECT],
  ['no body', 299, undefined, INCOMPLETE],
  ['no status', undefined, {}, INCOMPLETE],
  ['a status that is no number', '200', {}, INCOMPLETE],
])('reads a response: %s', (_what, status, body, outcome) => {
  expect(outcomeOf(status, body)).toEqual(outcome);
});

it.each<[what: string, status: number, headers: unknown, outcome: object]>([
  ['no headers', 204, null, { value: { body: {} } }],
  ['two dates', 204, { date: [date] }, { value: { body: {} } }],
  ['a redirect', 300, { location: '/x' }, refusal(300, { location: '/x' })],
  ['a redirect to nowhere', 399, { location: ['/x'] }, refusal(399)],
  ['seconds to wait', 429, { 'retry-after': '30' }, refusal(429, { retryAfterMs: 30_000 })],
  ['a time to wait for', 503, { date, 'retry-after': aMinuteLater }, refusal(503, { retryAfterMs: 60_000 })],
  ['a time by the local clock', 503, { 'retry-after': aMinuteLater }, refusal(503, { retryAfterMs: 40_000 })],
])('reads the headers of a response: %s', (_what, status, headers, outcome) => {
  expect(outcomeOf(status, '', headers)).toEqual(outcome);
});

it('reads a byte that is not UTF-8 as a replacement character', () => {
  const body = Buffer.from('{"title":"\xe9"}', 'latin1');
  expect(parseBody({ status: 200, body }, ({ body: { title } }) => title)).toEqual({ value: '\uFFFD' });
});

it('says that n8n gave nothing', () => {
  expect(readStatus(undefined, now)).toEqual(INCOMPLETE);
});

describe('the response with a file', () => {
  const body = Readable.from([]);

  it.each([
    [{ 'content-length': '0' }, { 'content-length': '0' }],
    [undefined, {}],
  ])('has a status, a body, and headers: %j', (headers, read) => {
    expect(readFileResponse({ statusCode: 404, headers, body })).toEqual({ status: 404, headers: read, body });
  });

  it.each([
    [undefined],
    [{ body }],
    [{ statusCode: '200', body }],
    [{ statusCode: 200 }],
    [{ statusCode: 200, body: 'a text' }],
    [{ statusCode: 200, body: Buffer.from('bytes') }],
    [{ statusCode: 200, body: { [Symbol.asyncIterator]: null } }],
    [{ statusCode: 200, body: { destroy: () => undefined } }],
  ])('is none without a number as its status, or without a stream: %#', (response) => {
    expect(readFileResponse(response)).toEqual({ kind: 'unreadable', reason: 'unexpected shape' });
  });
});
