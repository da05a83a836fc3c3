import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { ConcurrencyLimiter } from '../../nodes/NeetoForm/api/concurrencyLimiter';
import { attachFiles } from '../../nodes/NeetoForm/downloads/attach';
import { download, type DownloadPolicy } from '../../nodes/NeetoForm/downloads/download';
import { createVirtualClock, type VirtualClock } from '../trigger/virtualClock';

const SECOND = 1_000;
const URL = 'https://app.neetoform.com/files/1/cv.pdf';
const FILE = { key: 'Resume_1', question: 'Resume', name: 'cv.pdf', url: URL };

/** Bytes, ms that pass, or how the connection ends. */
type Piece = string | number | Error;

/** A response of the file server, or what n8n's request helper throws or returns in its place. */
type Response =
  | { status?: number; headers?: Record<string, string>; body?: Piece[]; waitMs?: number }
  | { throws: Error }
  | { returns: unknown };

type Store = DownloadPolicy['sender']['helpers']['prepareBinaryData'];

const storeText: Store = async (bytes, fileName, mimeType = '') => {
  if (!Buffer.isBuffer(bytes)) throw new Error('The file is not complete');
  return await Promise.resolve({ data: bytes.toString(), fileName, mimeType });
};

let clock: VirtualClock;
let asked: IHttpRequestOptions[];
let bodies: Readable[];
/** Responses in turn; the last one is repeated. */
let responses: Response[];
/** What n8n does with a file. */
let store: Store;
let policy: DownloadPolicy;

const codedError = (message: string, code: string) => Object.assign(new Error(message), { code });

async function pass(ms: number, { abortSignal }: IHttpRequestOptions): Promise<void> {
  // The node sees first what has arrived.
  await nextTurn();
  clock.advance(ms);
  if (abortSignal?.aborted === true) throw codedError('canceled', 'ERR_CANCELED');
}

async function* piecesOf(pieces: Piece[], options: IHttpRequestOptions) {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    if (typeof piece === 'number') await pass(piece, options);
    else yield Buffer.from(piece);
  }
}

beforeEach(() => {
  clock = createVirtualClock(Date.UTC(2026, 2, 1));
  [asked, bodies, responses] = [[], [], [{}]];
  store = storeText;
  const node = { id: '1', name: 'NeetoForm', type: 'neetoForm', typeVersion: 1, parameters: {} };
  policy = {
    sender: {
      getNode: () => ({ ...node, position: [0, 0] }),
      helpers: {
        httpRequest: async (options) => {
          const response = responses[Math.min(asked.push(options), responses.length) - 1] ?? {};
          if ('throws' in response) throw response.throws;
          if ('returns' in response) return await Promise.resolve(response.returns);
          const { status: statusCode = 200, headers = {}, body = ['Dear all'], waitMs = 0 } = response;
          await pass(waitMs, options);
          bodies.push(Readable.from(piecesOf(body, options)));
          return { statusCode, headers, body: bodies.at(-1) };
        },
        prepareBinaryData: async (...file) => await store(...file),
      },
    },
    workspace: 'https://acme.neetoform.com',
    allowedHosts: [],
    maxBytes: 8,
    limiter: new ConcurrencyLimiter(),
    clock: {
      now: () => clock.now(),
      timeout: (ms) => clock.timeout(ms),
      sleep: async (ms) => {
        clock.advance(ms);
        await nextTurn();
      },
    },
  };
});

const downloadOne = async (more: Partial<DownloadPolicy> = {}) => await download(FILE, { ...policy, ...more });
const ARRIVED = { binary: expect.objectContaining({ data: 'Dear all', fileName: 'cv.pdf' }) as unknown };
const LOST = { kind: 'no response', reason: 'connection lost' };

it.each<[what: string, responses: Response[], outcome: object, requests: number]>([
  ['a file of the size limit', [{ headers: { 'content-length': '8' } }], ARRIVED, 1],
  ['parts, of the size limit together', [{ body: ['Dear', ' all'] }], ARRIVED, 1],
  ['a larger file', [{ headers: { 'content-length': '9' } }], { kind: 'too large', maxBytes: 8 }, 1],
  ['a larger body than its header states', [{ body: ['Dear', ' all.'] }], { kind: 'too large' }, 1],
  ['a redirect', [{ status: 300, headers: { location: '/files/2' } }, {}], ARRIVED, 2],
  ['300 without an address', [{ status: 300 }], { kind: 'status', status: 300 }, 1],
  ['a redirect to no address', [{ status: 302, headers: { location: 'https://' } }], { kind: 'status' }, 1],
  ['400 with an address', [{ status: 400, headers: { location: '/files/2' } }], { kind: 'status', status: 400 }, 1],
  ['503, then the file', [{ status: 503 }, {}], ARRIVED, 2],
  ['a broken body, then the file', [{ body: ['Dear', codedError('reset', 'ECONNRESET')] }, {}], ARRIVED, 2],
  ['a body that ends without a code', [{ body: ['Dear', new Error('aborted')] }], LOST, 5],
  ['a body that is garbled', [{ body: [codedError('z', 'Z_BUF_ERROR')] }], { ...LOST, reason: 'garbled' }, 5],
  ['no connection', [{ throws: codedError('refused', 'ECONNREFUSED') }], { ...LOST, reason: 'refused' }, 5],
  ['a certificate that is not trusted', [{ throws: codedError('no', 'CERT_REVOKED') }], { kind: 'untrusted' }, 1],
])('the server sends %s', async (_, given, outcome, requests) => {
  responses = given;
  expect(await downloadOne()).toMatchObject(outcome);
  expect(asked).toHaveLength(requests);
  // What is not read to its end must be closed, or the connection stays open.
  expect(bodies.filter(({ destroyed }) => !destroyed)).toEqual([]);
});

it.each([
  ['undefined', undefined],
  ['no status', { body: Readable.from(['Dear all']) }],
  ['no body', { statusCode: 200 }],
  ['a text', { statusCode: 200, body: '<html>' }],
  ['something else', { statusCode: 200, body: { destroy: () => undefined } }],
])('n8n returns no stream, but %s', async (_, returns) => {
  responses = [{ returns }];
  expect(await downloadOne()).toMatchObject({ kind: 'unreadable', detail: 'n8n returned no stream' });
});

it('asks for any type of file, at the address without the spaces around it', async () => {
  await download({ ...FILE, url: ` ${URL}\n` }, policy);
  expect(asked).toMatchObject([{ url: URL, headers: { Accept: '*/*' } }]);
});

it('says why n8n could not store a file', async () => {
  store = async () => await Promise.reject(new Error('The disk is full'));
  expect(await downloadOne()).toEqual({ kind: 'not stored', message: 'The disk is full' });
});

describe('a server that sends nothing for ten seconds', () => {
  const host = 'app.neetoform.com';
  const STALLED = { kind: 'stalled', host };

  it.each<[what: string, response: Response, outcome: object]>([
    ['before the headers', { waitMs: 10 * SECOND }, STALLED],
    ['in the body', { body: ['Dear', 10 * SECOND, ' all'] }, STALLED],
    ['later in the body', { body: ['D', 6_000, 'ear', 5_000, 5_000, ' all'] }, STALLED],
    ['never, for nine seconds are less', { waitMs: 9_000, body: [9_000, 'Dear', 9_000, ' all'] }, ARRIVED],
  ])('fails a file without a retry: %s', async (_, response, outcome) => {
    responses = [response];
    expect(await downloadOne()).toMatchObject(outcome);
    expect(asked).toHaveLength(1);
  });

  it('is not asked again in the same run, but in another', async () => {
    responses = [{ waitMs: 10 * SECOND }, {}];
    await downloadOne();
    expect(await downloadOne()).toEqual(STALLED);
    expect(await downloadOne({ limiter: new ConcurrencyLimiter() })).toEqual(ARRIVED);
  });

  it('does not count while n8n stores the file', async () => {
    store = async (...file) => {
      clock.advance(20 * SECOND);
      return await storeText(...file);
    };
    expect(await downloadOne()).toEqual(ARRIVED);
  });
});

describe('when the time is over', () => {
  const drip: Response = { body: ['D', 6_000, 'e', 6_000, 'a', 6_000, 'r'] };
  /** A file of another server stalls in this run. */
  const stallElsewhere = async () => {
    responses = [{ waitMs: 10 * SECOND }];
    await download({ ...FILE, url: 'https://other.neetoform.com/a' }, policy);
    asked.length = 0;
  };

  it.each<[what: string, hasStalled: boolean, response: Response, seconds: number, isDeferrable: boolean]>([
    ['that makes progress', false, drip, 9, true],
    ['that makes progress while another server stalls', true, drip, 9, true],
    ['of which nothing came', false, { waitMs: 9_000 }, 9, true],
    ['of which nothing came while another server stalls', true, { waitMs: 9_000 }, 9, false],
    ['that was not asked for', false, {}, 0, true],
    ['that was not asked for while another server stalls', true, {}, 0, false],
  ])('of the poll, a file %s', async (_, hasStalled, response, seconds, isDeferrable) => {
    if (hasStalled) await stallElsewhere();
    responses = [response];
    expect(await downloadOne({ endAt: clock.now() + seconds * SECOND })).toEqual({ kind: 'poll ended', isDeferrable });
    expect(asked).toHaveLength(Math.min(seconds, 1));
  });

  it('of one file, it is too slow', async () => {
    responses = [drip];
    for (const endAt of [clock.now() + 9 * SECOND, undefined])
      expect(await downloadOne({ timeoutMs: 9 * SECOND, endAt })).toEqual({ kind: 'too slow', limitMs: 9 * SECOND });
  });

  it('of the execution, because the user canceled it, the transfer stops and that is the error', async () => {
    const canceledAt = clock.now() + 6_000;
    policy.sender.getExecutionCancelSignal = () => clock.timeout(canceledAt - clock.now());
    responses = [drip];
    await expect(downloadOne()).rejects.toThrow('The execution was canceled');
    expect(clock.now()).toBe(canceledAt);
  });
});

describe('an item', () => {
  const attach = async (more: Partial<DownloadPolicy> = {}) =>
    await attachFiles([{ id: 'a' }, { id: 'b' }], [[FILE]], { ...policy, output: 'raw', ...more });

  it('without files has no binary data', async () => {
    expect((await attach())[1]).toEqual({ item: { json: { id: 'b' } }, isInTime: true });
  });

  it.each<[what: string, more: Partial<DownloadPolicy>, isInTime: boolean]>([
    ['in time when its file is there', {}, true],
    ['late when a later poll may get its file', { endAt: 0 }, false],
    ['in time when no poll will get its file', { maxBytes: 1 }, true],
  ])('is %s', async (_, more, isInTime) => {
    expect((await attach(more))[0]).toMatchObject({ isInTime });
  });

  it('is in time when its file is not asked for because servers stall', async () => {
    responses = [{ waitMs: 10 * SECOND }];
    await downloadOne();
    expect((await attach({ endAt: clock.now() }))[0]).toMatchObject({ isInTime: true });
  });
});
