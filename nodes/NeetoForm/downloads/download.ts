import type { IBinaryData, IExecuteSingleFunctions, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { sleepUnlessAborted, type Clock } from '../api/clock';
import { failureFromError, parseRetryAfter, type RequestFailure } from '../api/failure';
import { TIMEOUT_MS } from '../api/request';
import { retryWait } from '../api/retry';
import { isRecord, textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';
import { validateFileAddress } from './fileAddress';
import { nameOf, typeOf, type Headers } from './fileName';

/** What all downloads of one operation have in common. */
export interface DownloadPolicy {
  sender: IExecuteSingleFunctions | IPollFunctions;
  /** The workspace's own address: see `validateFileAddress`. */
  workspace: string;
  maxBytes: number;
  /** What the user set for connections. */
  connection?: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;
  clock: Clock;
  /** Hears of each fault, whether it will be tried again or not. */
  onFault: (fault: RequestFailure) => void;
}

/** Why there is no file: what any request can meet, what this node does not take, or what n8n does not keep. */
export type FileFailure = RequestFailure | Refusal | { kind: 'not stored'; words: string };

export type Refusal =
  | { kind: 'refused'; why: 'too large' | 'too many redirects' }
  | { kind: 'refused'; why: 'address'; host: string; reason: string };

export type Downloaded = { binary: IBinaryData } | FileFailure;

interface Opened {
  status: number;
  headers: Headers;
  body: Body;
}

/** The stream of an answer's body; `node:stream` itself is out of a node's reach. */
interface Body extends AsyncIterable<unknown> {
  destroy: () => unknown;
}

const MAX_REDIRECTS = 5;

/**
 * Downloads a file and gives it to n8n to keep. No request carries the API key: the address is not of the service's interface, and
 * may be anyone's.
 *
 * @param limitMs for all tries together
 * @param signal ends everything at once
 */
export async function download(
  file: AnsweredFile,
  policy: DownloadPolicy,
  limitMs: number,
  signal: AbortSignal,
): Promise<Downloaded> {
  const { clock, onFault } = policy;
  const started = clock.now();
  for (let tries = 1; ; tries++) {
    const outcome = await follow(file, policy, signal);
    if ('binary' in outcome || outcome.kind === 'refused' || outcome.kind === 'not stored') return outcome;
    onFault(outcome);
    const wait = retryWait(outcome, {
      isRead: true,
      attempts: tries,
      elapsedMs: clock.now() - started,
      limitMs,
      random: Math.random(),
    });
    if (wait === undefined) return outcome;
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/** Follows redirects by hand: each next address is held to the same rule as the first. */
async function follow(file: AnsweredFile, policy: DownloadPolicy, signal: AbortSignal): Promise<Downloaded> {
  let address = file.url.trim();
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const reason = validateFileAddress(address, policy.workspace);
    if (reason !== undefined)
      return { kind: 'refused', why: 'address', host: URL.canParse(address) ? new URL(address).host : address, reason };
    const opened = await open(address, policy, signal);
    if ('kind' in opened) return opened;
    const { status, headers, body } = opened;
    if (status >= 200 && status < 300) {
      const bytes = await read(opened, policy.maxBytes, signal);
      return Buffer.isBuffer(bytes)
        ? await store(bytes, nameOf(file, headers, address), typeOf(headers), policy)
        : bytes;
    }
    body.destroy();
    const location = textOf(headers.location);
    if (status < 300 || status >= 400 || location === '' || !URL.canParse(location, address)) {
      return { kind: 'status', status, retryAfterMs: parseRetryAfter(headers['retry-after'], policy.clock.now()) };
    }
    address = new URL(location, address).href;
  }
  return { kind: 'refused', why: 'too many redirects' };
}

async function open(
  url: string,
  { sender, connection }: DownloadPolicy,
  signal: AbortSignal,
): Promise<Opened | RequestFailure> {
  try {
    const response: unknown = await sender.helpers.httpRequest({
      ...connection,
      method: 'GET',
      url,
      headers: { Accept: '*/*' },
      encoding: 'stream',
      timeout: TIMEOUT_MS,
      abortSignal: signal,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    });
    if (isRecord(response) && typeof response.statusCode === 'number' && isBody(response.body)) {
      return {
        status: response.statusCode,
        headers: isRecord(response.headers) ? response.headers : {},
        body: response.body,
      };
    }
    return { kind: 'unreadable', reason: 'unexpected shape', detail: 'n8n gave no stream' };
  } catch (error) {
    return failureFromError(error);
  }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'destroy' in value;
}

/** Counts what really comes, unpacked if it was packed: what the headers say of the length is anyone's word. */
async function read({ headers, body }: Opened, maxBytes: number, signal: AbortSignal): Promise<Buffer | FileFailure> {
  const tooLarge: FileFailure = { kind: 'refused', why: 'too large' };
  const chunks: Buffer[] = [];
  let left = maxBytes;
  if (Number(headers['content-length']) > maxBytes) {
    body.destroy();
    return tooLarge;
  }
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) continue;
      left -= chunk.length;
      // Leaving the loop destroys the stream, and the connection with it.
      if (left < 0) return tooLarge;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled' };
    const fault = failureFromError(error);
    return fault.kind === 'no answer' ? fault : { kind: 'no answer', reason: 'connection lost', unsent: false };
  }
}

async function store(
  bytes: Buffer,
  name: string,
  type: string | undefined,
  { sender }: DownloadPolicy,
): Promise<Downloaded> {
  try {
    return { binary: await sender.helpers.prepareBinaryData(bytes, name, type) };
  } catch (error) {
    return { kind: 'not stored', words: error instanceof Error ? error.message : 'it does not say why' };
  }
}
