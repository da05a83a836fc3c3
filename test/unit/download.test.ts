import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { ConcurrencyLimiter } from '../../nodes/NeetoForm/api/concurrencyLimiter';
import { download, type DownloadPolicy } from '../../nodes/NeetoForm/downloads/download';
import { placeholderNode } from '../support/engine/workflow';
import { createVirtualClock, type VirtualClock } from '../trigger/virtualClock';

const SECOND = 1_000;
const HOST = 'files.example.com';
const BREAK = Symbol('the connection breaks');
const OPEN = Symbol('the connection stays open');

/** Bytes, ms that pass, or what becomes of the connection. */
type Piece = string | number | typeof BREAK | typeof OPEN;

interface Response {
  status?: number;
  headers?: Record<string, string>;
  body?: Piece[];
  /** ms before the headers. */
  waitMs?: number;
  /** Whether the connection breaks before the headers. */
  isBroken?: boolean;
}

let virtual: VirtualClock;
let asked: IHttpRequestOptions[];
let bodies: Readable[];
/** Responses in turn; the last one is repeated. */
let responses: Response[];
let policy: DownloadPolicy;

const codedError = (code: string) => Object.assign(new Error(code), { code });

async function pass(ms: number, { abortSignal }: IHttpRequestOptions): Promise<void> {
  // The node sees first what was sent before.
  await nextTurn();
  const end = virtual.timeout(ms);
  while (abortSignal?.aborted !== true && !end.aborted) {
    virtual.set(virtual.nextTimeout ?? 0);
    await nextTurn();
  }
  if (abortSignal?.aborted === true) throw codedError('ERR_CANCELED');
}

async function* piecesOf(body: Piece[], options: IHttpRequestOptions) {
  for (const piece of body) {
    if (piece === BREAK) throw codedError('ECONNRESET');
    if (typeof piece === 'string') yield Buffer.from(piece);
    else await pass(piece === OPEN ? 1e9 : piece, options);
  }
}

/** As n8n's request helper does it. */
async function httpRequest(options: IHttpRequestOptions): Promise<unknown> {
  const response = responses[Math.min(asked.push(options), responses.length) - 1] ?? {};
  const { status = 200, headers = {}, body = ['Dear all'], waitMs = 0, isBroken = false } = response;
  if (isBroken) throw codedError('ECONNRESET');
  await pass(waitMs, options);
  const stream = Readable.from(piecesOf(body, options));
  bodies.push(stream);
  return { statusCode: status, headers, body: stream };
}

beforeEach(() => {
  [virtual, asked, bodies, responses] = [createVirtualClock(0), [], [], [{}]];
  const sleep = async (ms: number) => {
    virtual.advance(ms);
    await Promise.resolve();
  };
  const clock = { now: () => virtual.now(), timeout: (ms: number) => virtual.timeout(ms), sleep };
  const prepareBinaryData: DownloadPolicy['sender']['helpers']['prepareBinaryData'] = async (data, fileName) =>
    await Promise.resolve({ data: Buffer.isBuffer(data) ? data.toString() : '', fileName, mimeType: 'text/plain' });
  const sender = { getNode: () => placeholderNode(), helpers: { httpRequest, prepareBinaryData } };
  const workspace = `https://${HOST}`;
  policy = { sender, workspace, allowedHosts: [], maxBytes: 8, limiter: new ConcurrencyLimiter(), clock };
});

const fileAt = (host: string) => ({
  key: 'Resume_1',
  question: 'Resume',
  name: 'cv.pdf',
  url: `https://${host}/files/1/cv.pdf`,
});
const file = fileAt(HOST);
const downloadOne = async (more: Partial<DownloadPolicy> = {}) => await download(file, { ...policy, ...more });
const ARRIVED = { binary: { data: 'Dear all', fileName: 'cv.pdf', mimeType: 'text/plain' } };
const ROUND = Array.from({ length: 6 }, () => ({ status: 302, headers: { location: '/round' } }));
const LOST = { kind: 'no response', reason: 'connection lost' };

it.each<[what: string, responses: Response[], outcome: object, requests: number]>([
  ['a file of the size limit', [{ headers: { 'content-length': '8' } }], ARRIVED, 1],
  ['parts, of the size limit together', [{ body: ['Dear', 1, ' all'] }], ARRIVED, 1],
  ['a larger file', [{ headers: { 'content-length': '9' }, body: [OPEN] }], { kind: 'too large', maxBytes: 8 }, 1],
  ['a larger file without its length', [{ body: ['Dear', 1, ' all.', OPEN] }], { kind: 'too large' }, 1],
  ['a redirect', [{ status: 300, headers: { location: '/files/2' }, body: [OPEN] }, {}], ARRIVED, 2],
  ['five redirects', [...ROUND.slice(1), {}], ARRIVED, 6],
  ['a redirect that leads back to itself', ROUND, { kind: 'too many redirects' }, 6],
  ['300 without an address', [{ status: 300 }], { kind: 'status', status: 300 }, 1],
  ['a redirect to no address', [{ status: 302, headers: { location: 'https://' } }], { kind: 'status' }, 1],
  ['400 with an address', [{ status: 400, headers: { location: '/files/2' } }], { kind: 'status', status: 400 }, 1],
  ['503, then the file', [{ status: 503, body: [OPEN] }, {}], ARRIVED, 2],
  ['a broken body, then the file', [{ body: ['Dear', BREAK] }, {}], ARRIVED, 2],
  ['broken bodies only', [{ body: ['Dear', BREAK] }], LOST, 5],
  ['no response', [{ isBroken: true }], LOST, 5],
])('the server sends %s', async (_, given, outcome, requests) => {
  responses = given;
  expect(await downloadOne()).toMatchObject(outcome);
  expect(asked).toHaveLength(requests);
  // A connection whose response is not read to its end must be closed.
  expect(bodies.filter(({ destroyed }) => !destroyed)).toEqual([]);
  expect(asked.slice(0, bodies.length).filter(({ abortSignal }) => abortSignal?.aborted !== true)).toEqual([]);
});

it('asks for any type of file, at the address without the spaces around it', async () => {
  await download({ ...file, url: ` ${file.url}\n` }, policy);
  expect(asked).toMatchObject([{ url: file.url, headers: { Accept: '*/*' } }]);
});

describe('a server that sends nothing for ten seconds', () => {
  it.each<[what: string, response: Response, isStalled: boolean]>([
    ['before the headers', { waitMs: 10 * SECOND }, true],
    ['in the body', { body: ['Dear', 10 * SECOND, ' all'] }, true],
    ['later in the body', { body: ['D', 6_000, 'ear', 5_000, 5_000, ' all'] }, true],
    ['never, for nine seconds are less', { waitMs: 9_000, body: [9_000, 'Dear', 9_000, ' all'] }, false],
  ])('fails a file without a retry: %s', async (_, response, isStalled) => {
    responses = [response];
    expect(await downloadOne()).toMatchObject(isStalled ? { kind: 'stalled', host: HOST } : ARRIVED);
    expect(asked).toHaveLength(1);
  });

  it('is not asked again in the same run, but in another', async () => {
    responses = [{ waitMs: 10 * SECOND }, {}];
    await downloadOne();
    expect(await downloadOne()).toMatchObject({ kind: 'stalled' });
    expect(await downloadOne({ limiter: new ConcurrencyLimiter() })).toMatchObject(ARRIVED);
  });
});

describe('when the time is over', () => {
  const drip: Response = { body: ['D', 6_000, 'e', 6_000, 'a', 6_000, 'r'] };
  /** A file of another host stalls in this run. */
  const stallElsewhere = async () => {
    responses = [{ waitMs: 10 * SECOND }];
    const allowed = { ...policy, allowedHosts: ['other.example.com'] };
    expect(await download(fileAt('other.example.com'), allowed)).toMatchObject({ kind: 'stalled' });
    asked.length = 0;
  };

  it.each<[what: string, hasStalled: boolean, response: Response, seconds: number, isDeferrable: boolean]>([
    ['that makes progress', false, drip, 9, true],
    ['that makes progress while another server stalls', true, drip, 9, true],
    ['of which nothing came', false, { waitMs: 9_500 }, 9, true],
    ['of which nothing came while another server stalls', true, { waitMs: 9_500 }, 9, false],
    ['that was not asked for', false, {}, 0, true],
    ['that was not asked for while another server stalls', true, {}, 0, false],
  ])('of the poll, a file %s', async (_, hasStalled, response, seconds, isDeferrable) => {
    if (hasStalled) await stallElsewhere();
    responses = [response];
    const endAt = virtual.now() + seconds * SECOND;
    expect(await downloadOne({ endAt })).toEqual({ kind: 'poll ended', isDeferrable });
    expect(asked).toHaveLength(Math.min(seconds, 1));
  });

  it('of one file, it is too slow', async () => {
    responses = [drip];
    for (const endAt of [9 * SECOND, undefined])
      expect(await downloadOne({ timeoutMs: 9 * SECOND, endAt })).toEqual({ kind: 'too slow', limitMs: 9 * SECOND });
  });

  it('of the execution, because the user canceled it, the transfer stops and that is the error', async () => {
    const getExecutionCancelSignal = () => virtual.timeout(6_000);
    responses = [drip];
    const sender = { ...policy.sender, getExecutionCancelSignal };
    await expect(downloadOne({ sender })).rejects.toThrow('The execution was canceled');
    expect(virtual.now()).toBe(6_000);
  });
});
