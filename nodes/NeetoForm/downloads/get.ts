import type { IBinaryData, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { anySignal, unlessAborted, type Clock } from '../api/clock';
import { failureFromError, parseRetryAfter } from '../api/failure';
import { isRecord, textOf } from '../json';
import type { RequestLimiter } from '../api/requestLimiter';
import type { AnsweredFile } from '../submissions/toItems';
import { parseUrl, type FileHosts } from './fileAddress';
import { fileName, mimeType, type Headers } from './fileName';
import { STALL_MS, type FileFailure } from './messages';

/** What a download uses of n8n: of the node's context, or of the trigger's, whose polls are not canceled. */
interface FileSender extends Pick<IPollFunctions, 'getNode'> {
  helpers: Pick<IPollFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
  getExecutionCancelSignal?: () => AbortSignal | undefined;
}

/** What all downloads of one execution or poll have in common. */
export interface DownloadRun extends FileHosts {
  sender: FileSender;
  maxBytes: number;
  /** What the user set for connections. */
  connection?: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;
  clock: Clock;
  /** Limits how many files are downloaded at once. */
  limiter: Pick<RequestLimiter, 'run'>;
  /** By the host of a file's address: a server that limits the rate of requests holds up its own files only. */
  servers: Map<string, RequestLimiter>;
  /** Servers that sent nothing for too long, as they are found: none is tried again in the same run. */
  stalledHosts: Set<string>;
  /** ms that one attempt at a file may take. */
  timeoutMs?: number;
  /** ms on the clock: nothing is under way after it. */
  endAt?: number;
}

export type Downloaded = { binary: IBinaryData } | FileFailure;

/** One attempt at a file while it lasts. */
export interface Transfer {
  file: AnsweredFile;
  run: DownloadRun;
  /** What the files of one submission may still have together. */
  budget: { bytes: number };
  /** Ends everything at once. */
  signal: AbortSignal;
}

/** What becomes of one request; `next` is where the server redirects. */
export type Outcome = Downloaded | { kind: 'canceled' } | { next: string };

/** A response as a stream; the types of `node:stream` are not available to a node. */
interface Opened {
  status: number;
  headers: Headers;
  body: AsyncIterable<Buffer> & { destroy: () => unknown };
}

/** Requests one address. A server that sends nothing for ten seconds is given up, for the other files of the run too. */
export async function get(address: string, transfer: Transfer): Promise<Outcome> {
  const { run, signal } = transfer;
  const { host } = new URL(address);
  if (run.stalledHosts.has(host)) return { kind: 'stalled', host };
  const { stalled, noteProgress } = watchForStall(run.clock);
  const over = new AbortController();
  let opened: Opened | undefined;
  try {
    opened = await open(address, run, anySignal(signal, stalled, over.signal));
    if (opened === undefined) return { kind: 'unreadable', reason: 'unexpected shape' };
    noteProgress();
    const { status, headers } = opened;
    const location = textOf(headers.location);
    const next = status >= 300 && status < 400 && location !== '' ? parseUrl(location, address) : undefined;
    if (next !== undefined) return { next: next.href };
    if (status >= 300) {
      return { kind: 'status', status, retryAfterMs: parseRetryAfter(headers['retry-after'], run.clock.now()) };
    }
    const bytes = await readBody(opened, transfer, noteProgress);
    return 'kind' in bytes ? bytes : await store(bytes, headers, address, transfer);
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    if (stalled.aborted) {
      run.stalledHosts.add(host);
      return { kind: 'stalled', host };
    }
    const failure = failureFromError(error);
    // The errors of a body that ends too early have no code.
    if (opened === undefined || failure.kind === 'no response') return failure;
    return { kind: 'no response', reason: 'connection lost' };
  } finally {
    opened?.body.destroy();
    // The stream of n8n 2.40 closes the connection of a body that is not read only when more of it arrives.
    over.abort();
  }
}

/** @returns a signal that aborts when no progress was noted for `STALL_MS` */
function watchForStall(clock: Clock): { stalled: AbortSignal; noteProgress: () => void } {
  const controller = new AbortController();
  let latest = clock.now();
  const wait = (ms: number): void => {
    clock.timeout(ms).addEventListener('abort', () => {
      const remaining = latest + STALL_MS - clock.now();
      if (remaining > 0) wait(Math.ceil(remaining));
      else controller.abort();
    });
  };
  wait(STALL_MS);
  const noteProgress = () => {
    latest = clock.now();
  };
  return { stalled: controller.signal, noteProgress };
}

/** @returns undefined when n8n gives no stream */
async function open(
  url: string,
  { sender, connection }: DownloadRun,
  abortSignal: AbortSignal,
): Promise<Opened | undefined> {
  const response: unknown = await sender.helpers.httpRequest({
    ...connection,
    method: 'GET',
    url,
    headers: { Accept: '*/*' },
    encoding: 'stream',
    abortSignal,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  });
  if (!isRecord(response) || typeof response.statusCode !== 'number' || !isBody(response.body)) return undefined;
  const headers = isRecord(response.headers) ? response.headers : {};
  return { status: response.statusCode, headers, body: response.body };
}

function isBody(value: unknown): value is Opened['body'] {
  return isRecord(value) && Symbol.asyncIterator in value && 'destroy' in value;
}

/** Counts what is really received, after decompression: a header can state any length. */
async function readBody(
  { headers, body }: Opened,
  { budget, run: { maxBytes } }: Transfer,
  noteProgress: () => void,
): Promise<Buffer | FileFailure> {
  if (Number(headers['content-length']) > maxBytes) return { kind: 'too large', maxBytes };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      noteProgress();
      size += chunk.length;
      budget.bytes -= chunk.length;
      if (size > maxBytes) return { kind: 'too large', maxBytes };
      if (budget.bytes < 0) return { kind: 'too much', maxBytes };
      chunks.push(chunk);
    }
    size = 0;
    return Buffer.concat(chunks);
  } finally {
    // What is not kept leaves room for other files.
    budget.bytes += size;
  }
}

/** Without the watch of the server, because n8n may take its time. */
async function store(
  bytes: Buffer,
  headers: Headers,
  address: string,
  { file, run, signal }: Transfer,
): Promise<Outcome> {
  try {
    const storing = run.sender.helpers.prepareBinaryData(bytes, fileName(file, headers, address), mimeType(headers));
    return { binary: await unlessAborted(storing, signal) };
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    return { kind: 'not stored', message: error instanceof Error ? error.message : 'no reason was given' };
  }
}
