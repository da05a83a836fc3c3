import type { IBinaryData, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { anySignal, unlessAborted, type Clock } from '../api/clock';
import { toNodeApiError } from '../api/errors';
import { failureFromError, isRateLimit, parseRetryAfter, type FileFailure, type RequestFailure } from '../api/failure';
import type { RequestLimiter } from '../api/requestLimiter';
import { sendWithRetries } from '../api/retry';
import { isRecord, textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';
import { validateFileAddress, type FileHosts } from './fileAddress';
import { fileName, mimeType, type Headers } from './fileName';
import { STALL_MS, watchForStall, type StallWatch } from './stallWatch';

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
  limiter: Pick<RequestLimiter, 'run' | 'goOneAtATime'>;
  /** Servers that sent nothing for too long, as they are found: none is tried again in the same run. */
  stalledHosts: Set<string>;
  /** ms that a file may take, all attempts together. */
  timeoutMs?: number;
  /** ms on the clock: nothing is under way after it. */
  endAt?: number;
}

type Downloaded = { binary: IBinaryData } | FileFailure;

/** The outcome of one attempt. */
type Attempt = Downloaded | { kind: 'canceled' };

/** One download while it lasts. */
interface Transfer {
  file: AnsweredFile;
  run: DownloadRun;
  /** Ends everything at once. */
  signal: AbortSignal;
}

/** The next address, when the server redirects. */
interface Redirect {
  next: string;
}

/** The whole file. */
interface Received {
  bytes: Buffer;
  headers: Headers;
}

interface Opened {
  status: number;
  headers: Headers;
  body: Body;
}

/** The stream of a response's body; the types of `node:stream` are not available to a node. */
interface Body extends AsyncIterable<Buffer> {
  destroy: () => unknown;
}

const FILE_TIMEOUT_MS = 60_000;

const MAX_REDIRECTS = 5;

/**
 * Downloads a file and lets n8n store it. No request has the API key: the address is not part of the service's interface.
 *
 * @throws NodeApiError when the execution is canceled, and only then
 */
export async function download(file: AnsweredFile, run: DownloadRun): Promise<Downloaded> {
  const { sender, clock, timeoutMs = FILE_TIMEOUT_MS, endAt = Infinity } = run;
  const remainingMs = endAt - clock.now();
  const limitMs = Math.floor(Math.min(timeoutMs, remainingMs));
  if (limitMs <= 0) return { kind: 'poll ended' };
  const cancel = sender.getExecutionCancelSignal?.();
  const signal = anySignal(clock.timeout(limitMs), cancel);
  const transfer: Transfer = { file, run, signal };
  const attempt = async () => {
    const outcome = await follow(transfer);
    if (isRateLimit(retryableFailure(outcome))) run.limiter.goOneAtATime();
    return outcome;
  };
  const { outcome } = await sendWithRetries(attempt, {
    failureOf: retryableFailure,
    isRead: true,
    limitMs,
    clock,
    signal,
  });
  if (cancel?.aborted) throw toNodeApiError(sender.getNode(), { kind: 'canceled' }, { what: 'submissions' });
  if ('binary' in outcome || outcome.kind !== 'canceled') return outcome;
  return timeoutMs <= remainingMs ? { kind: 'too slow', limitMs } : { kind: 'poll ended' };
}

function retryableFailure(outcome: Attempt): RequestFailure | undefined {
  const isRetryable = 'kind' in outcome && (outcome.kind === 'status' || outcome.kind === 'no response');
  return isRetryable ? outcome : undefined;
}

/** Follows redirects by hand: each next address is validated too. */
async function follow(transfer: Transfer): Promise<Attempt> {
  const { file, run, signal } = transfer;
  const watch = watchForStall(run.clock);
  let address = file.url.trim();
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const problem = validateFileAddress(address, run, redirects > 0);
    if (problem !== undefined) return { kind: 'address', problem };
    const { host } = new URL(address);
    if (run.stalledHosts.has(host)) return { kind: 'stalled', host, silentMs: STALL_MS };
    const over = new AbortController();
    const opened = await open(address, run, anySignal(signal, watch.signal, over.signal));
    watch.noteProgress();
    const outcome = 'kind' in opened ? opened : await receive(opened, address, transfer, watch);
    // The stream of n8n 2.40 closes the connection of a body that is not read only when more of it arrives.
    over.abort();
    if (watch.signal.aborted && !signal.aborted) {
      run.stalledHosts.add(host);
      return { kind: 'stalled', host, silentMs: STALL_MS };
    }
    if ('bytes' in outcome) return await store(outcome, address, transfer);
    if (!('next' in outcome)) return outcome;
    address = outcome.next;
  }
  return { kind: 'too many redirects' };
}

async function open(
  url: string,
  { sender, connection }: DownloadRun,
  signal: AbortSignal,
): Promise<Opened | RequestFailure> {
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

async function receive(
  opened: Opened,
  address: string,
  transfer: Transfer,
  watch: StallWatch,
): Promise<Received | Redirect | Attempt> {
  const { status, headers, body } = opened;
  if (status < 300) return await readBody(opened, transfer, watch);
  body.destroy();
  const location = textOf(headers.location);
  if (status < 400 && location !== '' && URL.canParse(location, address))
    return { next: new URL(location, address).href };
  return { kind: 'status', status, retryAfterMs: parseRetryAfter(headers['retry-after'], transfer.run.clock.now()) };
}

/** Counts what is really received, after decompression: a header can state any length. */
async function readBody({ headers, body }: Opened, transfer: Transfer, watch: StallWatch): Promise<Received | Attempt> {
  const { maxBytes } = transfer.run;
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(headers['content-length']) > maxBytes) {
    body.destroy();
    return { kind: 'too large', maxBytes };
  }
  try {
    for await (const chunk of body) {
      watch.noteProgress();
      size += chunk.length;
      // Leaving the loop destroys the stream, and the connection with it.
      if (size > maxBytes) return { kind: 'too large', maxBytes };
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), headers };
  } catch (error) {
    if (transfer.signal.aborted) return { kind: 'canceled' };
    const failure = failureFromError(error);
    return failure.kind === 'no response' ? failure : { kind: 'no response', reason: 'connection lost' };
  }
}

async function store({ bytes, headers }: Received, address: string, { file, run, signal }: Transfer): Promise<Attempt> {
  const name = fileName(file, headers, address);
  try {
    const storing = run.sender.helpers.prepareBinaryData(bytes, name, mimeType(headers));
    return { binary: await unlessAborted(storing, signal) };
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    return { kind: 'not stored', message: error instanceof Error ? error.message : 'no reason was given' };
  }
}

function isBody(value: unknown): value is Body {
  return isRecord(value) && Symbol.asyncIterator in value && 'destroy' in value;
}
