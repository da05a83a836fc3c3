import type { IBinaryData, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { anySignal, unlessAborted, type Clock } from '../api/clock';
import { failureFromError, parseRetryAfter } from '../api/failure';
import type { RequestLimiter } from '../api/requestLimiter';
import { parseUrl } from '../api/workspaceUrl';
import { isRecord, textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';
import type { FileHosts } from './fileAddress';
import { fileName, mimeType, type Headers } from './fileName';
import { STALL_MS, type FileFailure } from './messages';

/** The part of n8n's context that a download uses. The trigger's context has no cancel signal: n8n does not cancel polls. */
interface FileSender extends Pick<IPollFunctions, 'getNode'> {
  helpers: Pick<IPollFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
  getExecutionCancelSignal?: () => AbortSignal | undefined;
}

/** What all downloads of one execution, or of one poll, have in common. */
export interface DownloadRun extends FileHosts {
  sender: FileSender;
  /** The largest file that is kept, in bytes. */
  maxBytes: number;
  connection?: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;
  clock: Clock;
  limiter: Pick<RequestLimiter, 'run'>;
  /** A limiter for each server, by its host, so that a server that limits the rate of requests delays only its own files. */
  servers: Map<string, RequestLimiter>;
  /** The hosts of servers that sent nothing for ten seconds. The run does not request them again. */
  stalledHosts: Set<string>;
  /**
   * ms, two limits in one: how long an attempt at a file may take, redirects included; and how long after the beginning of the first attempt
   * another one may begin (see `limitMs` in `retry.ts`). Default: a minute.
   */
  timeoutMs?: number;
  /** The time on the clock, in ms, at which every download of the run ends. Default: never. */
  giveUpAt?: number;
}

export type Downloaded = { binary: IBinaryData } | FileFailure;

export interface Transfer {
  file: AnsweredFile;
  run: DownloadRun;
  /** How many bytes are left for the files of the submission. All downloads of the submission change this one object. */
  budget: { bytes: number };
  /** Aborts when the attempt has to end: its time is over, or the execution was canceled. */
  signal: AbortSignal;
}

/** How one request ended. `next` is the address to which the server redirects; 'aborted' means that the signal of the attempt aborted. */
export type Outcome = Downloaded | { kind: 'aborted' } | { next: string };

/** A response whose body is read as a stream. The type of a stream is written out: n8n lets packages import nothing but its own modules. */
interface FileResponse {
  status: number;
  headers: Headers;
  body: AsyncIterable<Buffer> & { destroy: () => unknown };
}

/**
 * Requests one address and stores the file. A server that sends nothing for ten seconds is given up, and the other files of the run do
 * not try it again. Never throws: every end of the request is an outcome.
 */
export async function get(address: string, transfer: Transfer): Promise<Outcome> {
  const { run, signal } = transfer;
  const { host } = new URL(address);
  if (run.stalledHosts.has(host)) return { kind: 'stalled', host };
  const { stalled, noteProgress } = watchForStall(run.clock);
  const over = new AbortController();
  let response: FileResponse | undefined;
  try {
    response = await open(address, run, anySignal(signal, stalled, over.signal));
    if (response === undefined) return { kind: 'unreadable', reason: 'unexpected shape' };
    noteProgress();
    const withoutFile = redirectOrFailure(response, address, run.clock);
    if (withoutFile !== undefined) return withoutFile;
    const bytes = await receive(response, transfer, noteProgress);
    return 'kind' in bytes ? bytes : await store(bytes, response.headers, address, transfer);
  } catch (error) {
    if (signal.aborted) return { kind: 'aborted' };
    if (!stalled.aborted) return connectionFailure(error, response !== undefined);
    run.stalledHosts.add(host);
    return { kind: 'stalled', host };
  } finally {
    response?.body.destroy();
    // `destroy` alone is not enough: n8n 2.40 would close the connection of an unread body only when more of the body arrives.
    over.abort();
  }
}

/** The outcome of a response without a whole file, because its status is not 200: a redirect or a failure. @returns undefined for a file */
function redirectOrFailure({ status, headers }: FileResponse, address: string, clock: Clock): Outcome | undefined {
  if (status === 200) return undefined;
  const location = status >= 300 && status < 400 ? textOf(headers.location) : '';
  const next = location === '' ? undefined : parseUrl(location, address);
  if (next !== undefined) return { next: next.href };
  return { kind: 'status', status, retryAfterMs: parseRetryAfter(headers['retry-after'], clock.now()) };
}

/**
 * The failure of a connection that broke, or never came about. If a response breaks off, n8n's error has no code, and would look like that of
 * a request which was not sent. So once a response has begun, every failure becomes `no response` because of a lost connection, unless it is
 * `no response` already.
 */
function connectionFailure(error: unknown, hasBegun: boolean): Outcome {
  const failure = failureFromError(error);
  if (hasBegun && failure.kind !== 'no response') return { kind: 'no response', reason: 'connection lost' };
  return failure.kind === 'canceled' ? { kind: 'aborted' } : failure;
}

/**
 * Watches whether a server goes on sending.
 *
 * @returns a signal that aborts when nothing arrived for `STALL_MS`, and the function to call whenever something arrives
 */
function watchForStall(clock: Clock): { stalled: AbortSignal; noteProgress: () => void } {
  const controller = new AbortController();
  let latest = clock.now();
  const wait = (ms: number): void => {
    // The signal cannot be removed from memory before it aborts, although nothing here refers to it: Node.js keeps it while it has a listener.
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

/** Sends the request. @returns the response, its body unread; undefined when n8n returns no stream. @throws when no response comes */
async function open(
  url: string,
  { sender, connection }: DownloadRun,
  abortSignal: AbortSignal,
): Promise<FileResponse | undefined> {
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

function isBody(value: unknown): value is FileResponse['body'] {
  return isRecord(value) && Symbol.asyncIterator in value && 'destroy' in value;
}

/**
 * Reads a body to its end, and counts the bytes that arrive, decompressed: the header `Content-Length` may be missing or wrong.
 *
 * @returns the bytes; or the failure when the file is larger than `maxBytes`, or the submission's files are too large together
 * @throws when the connection breaks
 */
async function receive(
  { headers, body }: FileResponse,
  { budget, run: { maxBytes } }: Transfer,
  noteProgress: () => void,
): Promise<Buffer | FileFailure> {
  if (Number(headers['content-length']) > maxBytes) return { kind: 'too large', maxBytes };
  const chunks: Buffer[] = [];
  let size = 0;
  let isComplete = false;
  try {
    for await (const chunk of body) {
      noteProgress();
      size += chunk.length;
      budget.bytes -= chunk.length;
      if (size > maxBytes) return { kind: 'too large', maxBytes };
      if (budget.bytes < 0) return { kind: 'too large together', maxBytes };
      chunks.push(chunk);
    }
    isComplete = true;
    return Buffer.concat(chunks);
  } finally {
    // A file that was not received completely is not kept: its bytes go back to the budget of the submission's other files.
    if (!isComplete) budget.bytes += size;
  }
}

/** Lets n8n store a file. Only the signal of the attempt can stop this: the server has sent everything, and cannot stall any more. */
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
    if (signal.aborted) return { kind: 'aborted' };
    return { kind: 'not stored', message: error instanceof Error ? error.message : 'no reason was given' };
  }
}
