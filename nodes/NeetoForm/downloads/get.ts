import type { IBinaryData, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { anySignal, unlessAborted, type Clock } from '../api/clock';
import { failureFromError, parseRetryAfter, type RequestFailure } from '../api/failure';
import { isRecord, textOf } from '../json';
import type { RequestLimiter } from '../api/requestLimiter';
import type { AnsweredFile } from '../submissions/toItems';
import { parseUrl, type FileHosts } from './fileAddress';
import { fileName, mimeType, type Headers } from './fileName';
import type { FileFailure } from './messages';

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

/** What the files of one submission may still have together. */
export interface Budget {
  bytes: number;
}

export type Downloaded = { binary: IBinaryData } | FileFailure;

/** One attempt at a file while it lasts. */
export interface Transfer {
  file: AnsweredFile;
  run: DownloadRun;
  budget: Budget;
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

/** The whole file. */
interface Received {
  bytes: Buffer;
  headers: Headers;
}

/** ms after which a server that sends nothing has stalled. */
const STALL_MS = 10_000;

/** A request while it lasts. */
interface Hop extends Transfer {
  address: string;
  /** To be called whenever the server has sent something. */
  noteProgress: () => void;
}

/** Requests one address. A server that sends nothing for ten seconds is given up, for the other files of the run too. */
export async function get(address: string, transfer: Transfer): Promise<Outcome> {
  const { clock, stalledHosts } = transfer.run;
  const { host } = new URL(address);
  if (stalledHosts.has(host)) return { kind: 'stalled', host, silentMs: STALL_MS };
  const over = new AbortController();
  const { stalled, noteProgress } = watchForStall(clock);
  const hop = { ...transfer, address, noteProgress, signal: anySignal(transfer.signal, stalled, over.signal) };
  const opened = await open(hop);
  noteProgress();
  const received = 'kind' in opened ? opened : await receive(opened, hop);
  // The stream of n8n 2.40 closes the connection of a body that is not read only when more of it arrives.
  over.abort();
  if (stalled.aborted && !transfer.signal.aborted) {
    stalledHosts.add(host);
    return { kind: 'stalled', host, silentMs: STALL_MS };
  }
  return 'bytes' in received ? await store(received, address, transfer) : received;
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

async function open({ address: url, run: { sender, connection }, signal }: Hop): Promise<Opened | RequestFailure> {
  try {
    const response: unknown = await sender.helpers.httpRequest({
      ...connection,
      method: 'GET',
      url,
      headers: { Accept: '*/*' },
      encoding: 'stream',
      abortSignal: signal,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    });
    if (isRecord(response) && typeof response.statusCode === 'number' && isBody(response.body)) {
      const headers = isRecord(response.headers) ? response.headers : {};
      return { status: response.statusCode, headers, body: response.body };
    }
    return { kind: 'unreadable', reason: 'unexpected shape', detail: 'n8n returned no stream' };
  } catch (error) {
    return failureFromError(error);
  }
}

async function receive(opened: Opened, hop: Hop): Promise<Received | Outcome> {
  const { status, headers, body } = opened;
  if (status < 300) return await readBody(opened, hop);
  body.destroy();
  const location = textOf(headers.location);
  const next = status < 400 && location !== '' ? parseUrl(location, hop.address) : undefined;
  if (next !== undefined) return { next: next.href };
  return { kind: 'status', status, retryAfterMs: parseRetryAfter(headers['retry-after'], hop.run.clock.now()) };
}

/** Counts what is really received, after decompression: a header can state any length. */
async function readBody({ headers, body }: Opened, hop: Hop): Promise<Received | Outcome> {
  const { budget, signal } = hop;
  const { maxBytes } = hop.run;
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(headers['content-length']) > maxBytes) {
    body.destroy();
    return { kind: 'too large', maxBytes };
  }
  try {
    for await (const chunk of body) {
      hop.noteProgress();
      size += chunk.length;
      budget.bytes -= chunk.length;
      // Leaving the loop destroys the stream, and the connection with it.
      if (size > maxBytes) return { kind: 'too large', maxBytes };
      if (budget.bytes < 0) return { kind: 'too much', maxBytes };
      chunks.push(chunk);
    }
    size = 0;
    return { bytes: Buffer.concat(chunks), headers };
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    const failure = failureFromError(error);
    return failure.kind === 'no response' ? failure : { kind: 'no response', reason: 'connection lost' };
  } finally {
    // What is not kept leaves room for other files.
    budget.bytes += size;
  }
}

/** Without the watch of the server, because n8n may take its time. */
async function store({ bytes, headers }: Received, address: string, transfer: Transfer): Promise<Outcome> {
  const { file, run, signal } = transfer;
  const name = fileName(file, headers, address);
  try {
    const storing = run.sender.helpers.prepareBinaryData(bytes, name, mimeType(headers));
    return { binary: await unlessAborted(storing, signal) };
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    return { kind: 'not stored', message: error instanceof Error ? error.message : 'no reason was given' };
  }
}

function isBody(value: unknown): value is Opened['body'] {
  return isRecord(value) && Symbol.asyncIterator in value && 'destroy' in value;
}
