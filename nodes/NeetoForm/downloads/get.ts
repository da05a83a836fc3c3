import type { IBinaryData, IDataObject, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { anySignal, unlessAborted, type Clock } from '../api/clock';
import { failureFromError, parseRetryAfter } from '../api/failure';
import type { Limits } from '../api/retry';
import type { Slots } from '../api/slots';
import { parseUrl } from '../api/workspaceUrl';
import { isRecord, messageOf, textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';
import type { FileHosts } from './fileAddress';
import { fileName, mimeType } from './fileName';
import { STALL_MS, type FileFailure } from './messages';

/** What all downloads of one execution or poll share. */
export interface DownloadRun extends FileHosts {
  /** The part of n8n's contexts that a download uses. The trigger's context has no cancel signal. */
  sender: Pick<IPollFunctions, 'getNode'> & {
    helpers: Pick<IPollFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
    getExecutionCancelSignal?: () => AbortSignal | undefined;
  };
  /** The size limit of one file. */
  maxBytes: number;
  connection?: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;
  clock: Clock;
  slots: Pick<Slots, 'run'>;
  /** By host, so that a server that limits the rate of requests delays only its own files. */
  servers: Map<string, Limits>;
  /** The hosts of servers that sent nothing for ten seconds. The run does not request them again. */
  stalledHosts: Set<string>;
  /** ms: how long an attempt at a file may take, redirects included, and how long after the first attempt another may begin. Default: a minute. */
  timeoutMs?: number;
  /** The time on the clock, in ms, at which all downloads end. Default: never. */
  giveUpAt?: number;
}

export type Downloaded = { kind: 'downloaded'; binary: IBinaryData } | FileFailure;

export interface Transfer {
  file: AnsweredFile;
  run: DownloadRun;
  /** The bytes that are left for the files of the submission. Its downloads share this object, and change it. */
  budget: { bytes: number };
  /** Aborts when the attempt's time is over or the execution is canceled. */
  signal: AbortSignal;
}

/** How one request ended. It is canceled when the signal of its transfer has aborted. */
export type Outcome = Downloaded | { kind: 'canceled' } | Redirect;

export interface Redirect {
  kind: 'redirect';
  to: string;
}

interface FileResponse {
  status: number;
  /** By their names in lower case. */
  headers: IDataObject;
  /** In fact a `Readable`. But n8n does not let packages import `node:stream`. */
  body: AsyncIterable<Buffer> & { destroy: () => unknown };
}

/** Requests one address and stores the file. Never throws: a failure is an outcome, too. */
export async function get(address: string, transfer: Transfer): Promise<Outcome> {
  const { run, signal } = transfer;
  const { host } = new URL(address);
  if (run.stalledHosts.has(host)) return { kind: 'stalled', host };
  const { stalled, noteProgress } = watchForStall(run.clock);
  const over = new AbortController();
  let response: FileResponse | undefined;
  try {
    const opened = readFileResponse(await open(address, run, anySignal(signal, stalled, over.signal)));
    if ('kind' in opened) return opened;
    response = opened;
    noteProgress();
    const withoutFile = redirectOrFailure(response, address, run.clock);
    if (withoutFile !== undefined) return withoutFile;
    const bytes = await receive(response, transfer, noteProgress);
    return 'kind' in bytes ? bytes : await store(bytes, response.headers, address, transfer);
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    if (!stalled.aborted) return failureFromError(error);
    run.stalledHosts.add(host);
    return { kind: 'stalled', host };
  } finally {
    response?.body.destroy();
    // With `destroy` alone, n8n would close the connection of an unread body only when more of the body arrives.
    over.abort();
  }
}

/** Returns the redirect or failure in a response; undefined when its status is 200: then its body is the file. */
function redirectOrFailure({ status, headers }: FileResponse, address: string, clock: Clock): Outcome | undefined {
  if (status === 200) return undefined;
  const location = status >= 300 && status < 400 ? textOf(headers.location) : '';
  const next = location === '' ? undefined : parseUrl(location, address);
  if (next !== undefined) return { kind: 'redirect', to: next.href };
  return { kind: 'status', status, retryAfterMs: parseRetryAfter(headers['retry-after'], clock.now()) };
}

/** Returns a signal that aborts when nothing has arrived for `STALL_MS`, and a function to call whenever something arrives. */
function watchForStall(clock: Clock): { stalled: AbortSignal; noteProgress: () => void } {
  const controller = new AbortController();
  let latest = clock.now();
  const wait = (ms: number): void => {
    // Nothing here refers to the signal of this timeout, but Node.js keeps it in memory because it has a listener.
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

/** Requests an address. @returns the response, before its body is read */
async function open(url: string, run: DownloadRun, abortSignal: AbortSignal): Promise<unknown> {
  return await run.sender.helpers.httpRequest({
    ...run.connection,
    method: 'GET',
    url,
    headers: { Accept: '*/*' },
    encoding: 'stream',
    abortSignal,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  });
}

/** Reads what n8n's request helper returned. @returns a failure when it has no stream */
export function readFileResponse(response: unknown): FileResponse | FileFailure {
  if (!isRecord(response) || typeof response.statusCode !== 'number' || !isBody(response.body))
    return { kind: 'unreadable', reason: 'unexpected shape' };
  const headers = isRecord(response.headers) ? response.headers : {};
  return { status: response.statusCode, headers, body: response.body };
}

function isBody(value: unknown): value is FileResponse['body'] {
  return isRecord(value) && Symbol.asyncIterator in value && 'destroy' in value;
}

/** Reads a body to its end, and counts the bytes after decompression: the header `Content-Length` may be missing or wrong. */
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
    // The bytes of a file that is not kept are left for the submission's other files.
    if (!isComplete) budget.bytes += size;
  }
}

async function store(bytes: Buffer, headers: IDataObject, address: string, transfer: Transfer): Promise<Outcome> {
  const { file, run, signal } = transfer;
  try {
    const storing = run.sender.helpers.prepareBinaryData(bytes, fileName(file, headers, address), mimeType(headers));
    return { kind: 'downloaded', binary: await unlessAborted(storing, signal) };
  } catch (error) {
    if (signal.aborted) return { kind: 'canceled' };
    return { kind: 'not stored', message: messageOf(error) || 'no reason was given' };
  }
}
