import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { IPollFunctions } from 'n8n-workflow';
import { RequestLimiter } from '../../nodes/NeetoForm/api/requestLimiter';
import { download } from '../../nodes/NeetoForm/downloads/download';
import type { DownloadRun, Transfer } from '../../nodes/NeetoForm/downloads/get';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { createPoller } from '../support/engine';
import { VirtualTime } from '../support/virtualTime';

const SECOND = 1_000;

const BREAK = Symbol('the connection breaks');
const OPEN = Symbol('the connection stays open');

/** Bytes, ms of virtual time that pass, or what becomes of the connection. */
type Piece = string | number | typeof BREAK | typeof OPEN;

interface Response {
  status?: number;
  headers?: Record<string, string>;
  body?: Piece[];
  /** ms of virtual time before the headers. */
  waitMs?: number;
  /** Whether the connection breaks before the headers. */
  isBroken?: boolean;
}

const sockets = new Set<Socket>();
let server: Server;
let port: number;
/** The headers of each request. */
let asked: Array<Parameters<RequestListener>[0]['headers']>;
/** Responses in turn; the last one is repeated. */
let responses: Response[];
let time: VirtualTime;
let policy: DownloadRun;
let budget: Transfer['budget'];

/** The node sees first what was sent before. */
async function pass(ms: number): Promise<void> {
  await wait(20);
  time.advance(ms);
}

async function respond(
  { status = 200, headers = {}, body = ['Dear all'], waitMs = 0, isBroken = false }: Response,
  response: ServerResponse,
): Promise<void> {
  if (isBroken) return void response.destroy();
  if (waitMs > 0) await pass(waitMs);
  response.writeHead(status, headers).flushHeaders();
  for (const piece of body) {
    if (piece === OPEN) return;
    if (typeof piece === 'string') response.write(piece);
    else await pass(piece === BREAK ? 0 : piece);
    if (piece === BREAK) return void response.destroy();
  }
  response.end();
}

beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    const next = responses[Math.min(asked.push(headers), responses.length) - 1] ?? {};
    void respond(next, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

beforeEach(async () => {
  [asked, responses] = [[], [{}]];
  budget = { bytes: 12 };
  time = new VirtualTime(0);
  const type = {
    description: new NeetoFormTrigger().description,
    async poll(this: IPollFunctions) {
      policy = {
        sender: this,
        workspace: `http://127.0.0.1:${port}`,
        allowedHosts: [],
        maxBytes: 8,
        limiter: new RequestLimiter(),
        servers: new Map(),
        stalledHosts: new Set(),
        // Over a real connection nothing tells when everything waits.
        clock: { ...time.computer, sleep: async (ms: number) => time.advance(ms) },
      };
      return await Promise.resolve(null);
    },
  };
  await createPoller(type, { parameters: {}, credentials: {} }).poll();
});

const fileAt = (host: string) => ({
  key: 'Resume_1',
  question: 'Resume',
  name: 'cv.pdf',
  url: `http://${host}:${port}/files/1/cv.pdf`,
});
const file = () => fileAt('127.0.0.1');
const downloadOne = async (more: Partial<DownloadRun> = {}) => await download(file(), { ...policy, ...more }, budget);
const data = Buffer.from('Dear all').toString('base64');
const ARRIVED = { binary: expect.objectContaining({ data, fileName: 'cv.pdf' }) as unknown };
const ROUND = Array.from({ length: 6 }, () => ({ status: 302, headers: { location: '/round' } }));
const LOST = { kind: 'no response', reason: 'connection lost' };

it.each<[what: string, responses: Response[], outcome: object, requests: number]>([
  ['a file of the size limit', [{ headers: { 'content-length': '8' } }], ARRIVED, 1],
  ['a larger file', [{ headers: { 'content-length': '9' }, body: [OPEN] }], { kind: 'too large', maxBytes: 8 }, 1],
  ['a larger file without its length', [{ body: ['Dear', 1, ' all.', OPEN] }], { kind: 'too large' }, 1],
  ['a redirect', [{ status: 300, headers: { location: '/files/2' }, body: [OPEN] }, {}], ARRIVED, 2],
  ['five redirects', [...ROUND.slice(1), {}], ARRIVED, 6],
  ['a redirect that leads back to itself', ROUND, { kind: 'too many redirects' }, 6],
  ['a redirect to another host', [{ status: 302, headers: { location: 'https://a.svc/' } }], { kind: 'address' }, 1],
  ['a redirect to no address', [{ status: 302, headers: { location: 'https://' } }], { kind: 'status' }, 1],
  ['400 with an address', [{ status: 400, headers: { location: '/files/2' } }], { kind: 'status', status: 400 }, 1],
  ['503, then the file', [{ status: 503, body: [OPEN] }, {}], ARRIVED, 2],
  ['a broken body, then the file', [{ body: ['Dear', BREAK] }, {}], ARRIVED, 2],
  ['broken bodies only', [{ body: ['Dear', BREAK] }], LOST, 5],
  ['no response', [{ isBroken: true }], LOST, 5],
  // Jest has several Error classes, so the reason differs from n8n's here.
  ['a body that is not in its encoding', [{ headers: { 'content-encoding': 'gzip' } }], { kind: LOST.kind }, 5],
])('the server sends %s', async (_, given, outcome, requests) => {
  responses = given;
  expect(await downloadOne()).toMatchObject(outcome);
  expect(asked).toHaveLength(requests);
  // A connection whose response is not read to its end must be closed.
  for (let tries = 0; tries < 50 && sockets.size > 0; tries++) await wait(10);
  expect(sockets.size).toBe(0);
});

it('asks for any type of file, at the address without the spaces around it', async () => {
  await download({ ...file(), url: ` ${file().url}\n` }, policy, budget);
  expect(asked).toMatchObject([{ accept: '*/*' }]);
});

it('what is received for a file counts for its submission when the file is kept, and not when it is not', async () => {
  const downloaded = async (body: string) => {
    responses = [{ body: [body] }];
    return await downloadOne();
  };
  expect(await downloaded('Dear all.')).toEqual({ kind: 'too large', maxBytes: 8 });
  expect(await downloaded('Dear all')).toMatchObject(ARRIVED);
  expect(budget).toEqual({ bytes: 4 });
  expect(await downloaded('Bye')).toHaveProperty('binary');
  expect(await downloaded('Bye all')).toEqual({ kind: 'too much', maxBytes: 8 });
  expect(budget).toEqual({ bytes: 1 });
});

it('a server that limits the rate of requests delays its own files only, and holds no slot meanwhile', async () => {
  responses = [{ status: 429, headers: { 'retry-after': '5' } }, {}];
  const limiter = new RequestLimiter(undefined, 1);
  budget.bytes = 16;
  const hosts: string[] = [];
  const httpRequest: DownloadRun['sender']['helpers']['httpRequest'] = async (options) => {
    hosts.push(new URL(options.url).hostname);
    return (await policy.sender.helpers.httpRequest(options)) as unknown;
  };
  const sender = { getNode: () => policy.sender.getNode(), helpers: { ...policy.sender.helpers, httpRequest } };
  const run = { ...policy, sender, limiter, allowedHosts: [`localhost:${port}`] };
  const outcomes = await Promise.all(
    [file(), fileAt('localhost')].map(async (each) => await download(each, run, budget)),
  );
  expect(outcomes).toMatchObject([ARRIVED, ARRIVED]);
  expect(hosts).toEqual(['127.0.0.1', 'localhost', '127.0.0.1']);
});

describe('a server that sends nothing for ten seconds', () => {
  it.each<[what: string, response: Response, isStalled: boolean]>([
    ['before the headers', { waitMs: 10 * SECOND }, true],
    ['in the body', { body: ['Dear', 10 * SECOND, ' all'] }, true],
    ['later in the body', { body: ['D', 6_000, 'ear', 5_000, 5_000, ' all'] }, true],
    ['never, for nine seconds are less', { waitMs: 9_000, body: [9_000, 'Dear', 9_000, ' all'] }, false],
  ])('fails a file without a retry: %s', async (_, response, isStalled) => {
    responses = [response];
    expect(await downloadOne()).toMatchObject(isStalled ? { kind: 'stalled', host: `127.0.0.1:${port}` } : ARRIVED);
    expect(asked).toHaveLength(1);
  });

  it('is not asked again in the same run, but in another', async () => {
    responses = [{ waitMs: 10 * SECOND }, {}];
    await downloadOne();
    expect(await downloadOne()).toMatchObject({ kind: 'stalled' });
    expect(await downloadOne({ stalledHosts: new Set() })).toMatchObject(ARRIVED);
  });
});

describe('when the time is over', () => {
  const drip: Response = { body: ['D', 6_000, 'e', 6_000, 'a', 6_000, 'r'] };

  it.each<[what: string, response: Response, seconds: number]>([
    ['that makes progress', drip, 9],
    ['of which nothing came', { waitMs: 9_000 }, 9],
    ['that was not asked for', {}, 0],
  ])('of the poll, a file %s waits for the next poll', async (_, response, seconds) => {
    responses = [response];
    expect(await downloadOne({ endAt: time.now + seconds * SECOND })).toEqual({ kind: 'poll ended' });
    expect(asked).toHaveLength(Math.min(seconds, 1));
  });

  it('of one file, it is too slow', async () => {
    responses = [drip];
    for (const endAt of [time.now + 9 * SECOND, undefined])
      expect(await downloadOne({ timeoutMs: 9 * SECOND, endAt })).toEqual({ kind: 'too slow', limitMs: 9 * SECOND });
  });

  it('of the execution, because the user canceled it, the transfer stops and that is the error', async () => {
    const canceledAt = time.now + 6_000;
    const getExecutionCancelSignal = () => time.timeout(canceledAt - time.now);
    const sender = { helpers: policy.sender.helpers, getNode: () => policy.sender.getNode(), getExecutionCancelSignal };
    responses = [drip];
    await expect(downloadOne({ sender })).rejects.toThrow('The execution was canceled');
    expect(time.now).toBe(canceledAt);
  });
});
