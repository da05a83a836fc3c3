import type { IExecuteSingleFunctions, IHttpRequestOptions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { isRecord, parseJson, textOf } from '../json';
import { anySignal, systemClock, unlessAborted, type Clock } from './clock';
import { failureFromError, parseRetryAfter, serviceMessage, type RequestFailure } from './failure';
import { toNodeApiError, type Subject } from './messages';
import { UnexpectedResponse, type ApiResponse, type Parse } from './parse';
import { sendWithRetries, type RetryPolicy } from './retry';
import { apiKeyOf, CREDENTIAL } from './workspaceUrl';

/** The context of the action node for one input item, of the trigger, or of a list in the editor. */
type RequestContext = IExecuteSingleFunctions | IPollFunctions | ILoadOptionsFunctions;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_LIMIT_MS = 60_000;
const MAX_WORDS_LENGTH = 2_000;

/** A response with a 2xx status whose body is not parsed yet. */
type Received = Omit<ApiResponse, 'body'> & { status: number; body: Buffer };

export interface RequestPolicy extends Pick<RetryPolicy<unknown>, 'giveUpAt' | 'limits'> {
  /** What the request is about, for the words of an error. Default: they name nothing. */
  subject?: Subject;
  /** ms that one attempt may take, up to the last byte of the body. Default: 30 s. */
  timeoutMs?: number;
  /** ms: see `limitMs` in `retry.ts`. Default: a minute. */
  retryLimitMs?: number;
  /** Each signal ends the request when it aborts: at the hard deadline of a poll, for example. The request then fails as after a timeout. */
  signals?: Array<AbortSignal | undefined>;
  clock?: Clock;
}

/** Sends a request with the API key, and again where that is safe. @throws NodeApiError if there is no usable response, or it is canceled */
export async function request<T>(
  context: RequestContext,
  options: IHttpRequestOptions,
  policy: RequestPolicy,
  parse: Parse<T>,
): Promise<T> {
  const { subject = {}, limits, giveUpAt, clock = systemClock, signals = [] } = policy;
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retryLimitMs = DEFAULT_RETRY_LIMIT_MS } = policy;
  const signal = anySignal(cancelSignal(context), ...signals);
  const attempt = async () => await sendOnce(context, options, { clock, timeoutMs, signal });
  const { outcome, attempts } = await sendWithRetries(attempt, {
    failureOf: (received) => ('kind' in received ? received : undefined),
    isRead: (options.method ?? 'GET') === 'GET',
    limitMs: retryLimitMs,
    giveUpAt,
    clock,
    limits,
    signal,
  });
  // This short sleep lets the next request be sent before the body is parsed. Without it, reading 10,000 submissions takes 12 to 23 % longer.
  await clock.sleep(0);
  const result = 'kind' in outcome ? outcome : parseBody(outcome, parse);
  if ('value' in result) return result.value;
  throw toNodeApiError(context.getNode(), await withoutKeyIn(context, result), subject, attempts);
}

/** Makes one attempt. Never throws: a failure is its result. */
async function sendOnce(
  context: RequestContext,
  options: IHttpRequestOptions,
  { clock, timeoutMs: timeout, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<Received | RequestFailure> {
  const abortSignal = anySignal(clock.timeout(timeout), signal);
  try {
    abortSignal.throwIfAborted();
    const sending = context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
      ...options,
      timeout,
      // `timeout` alone is not enough: it never ends a body that arrives byte by byte.
      abortSignal,
      // n8n would otherwise parse the body while the request still holds its slot.
      encoding: 'arraybuffer',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
    });
    return readStatus(await unlessAborted(sending, abortSignal), clock.now());
  } catch (error) {
    if (cancelSignal(context)?.aborted === true) return { kind: 'canceled' };
    return abortSignal.aborted ? { kind: 'no response', reason: 'timeout' } : failureFromError(error);
  }
}

/** Shortens the service's words, and takes the API key out of them, because n8n shows and logs errors. */
async function withoutKeyIn(context: RequestContext, failure: RequestFailure): Promise<RequestFailure> {
  const clean = async (text: string | undefined) =>
    text === undefined ? undefined : (await withoutKey(context, text)).slice(0, MAX_WORDS_LENGTH);
  if (failure.kind === 'status')
    return { ...failure, message: await clean(failure.message), location: await clean(failure.location) };
  return failure.kind === 'unreadable' ? { ...failure, detail: await clean(failure.detail) } : failure;
}

/** Replaces the API key in a text by `[API key]`. */
export async function withoutKey(context: RequestContext, text: string): Promise<string> {
  const key = apiKeyOf(await context.getCredentials(CREDENTIAL));
  return key === '' ? text : text.replaceAll(key, '[API key]');
}

/**
 * Reads the status and headers of what n8n's request helper returned.
 *
 * @param now ms: the time from which a date in Retry-After counts if the response has no Date
 */
export function readStatus(response: unknown, now: number): Received | RequestFailure {
  if (!isRecord(response) || typeof response.statusCode !== 'number' || !Buffer.isBuffer(response.body)) {
    return { kind: 'unreadable', reason: 'unexpected shape', detail: 'n8n gave no full response' };
  }
  const { statusCode: status, body } = response;
  const headers = isRecord(response.headers) ? response.headers : {};
  const serverTime = Date.parse(textOf(headers.date)) || undefined;
  if (status >= 200 && status < 300) return { status, body, serverTime };
  return {
    kind: 'status',
    status,
    message: serviceMessage(parseJson(decodeBody(body))),
    retryAfterMs: parseRetryAfter(headers['retry-after'], serverTime ?? now),
    location: textOf(headers.location) || undefined,
  };
}

/** Parses the body of a response. @returns the result of `parse`, or a failure when the body is an error, or `parse` throws */
export function parseBody<T>(received: Received, parse: Parse<T>): { value: T } | RequestFailure {
  const content = parseJson(decodeBody(received.body));
  const words = errorIn(content);
  if (words !== undefined) return { kind: 'status', status: received.status, message: words };
  if (typeof content === 'string' && content !== '')
    return { kind: 'unreadable', reason: /^\s*</.test(content) ? 'web page' : 'broken JSON' };
  try {
    const body = content === '' ? {} : content;
    if (!isRecord(body)) throw new UnexpectedResponse('a JSON object was expected');
    return { value: parse({ body, serverTime: received.serverTime }) };
  } catch (error) {
    const detail = error instanceof UnexpectedResponse ? error.message : String(error);
    return { kind: 'unreadable', reason: 'unexpected shape', detail };
  }
}

/** The UTF-8 text of a body. TextDecoder leaves out a byte order mark, which `JSON.parse` would refuse. */
function decodeBody(body: Buffer): string {
  return new TextDecoder().decode(body);
}

/** Finds the service's words in a 2xx response that refuses a request. @returns undefined when the body is not an error */
function errorIn(body: unknown): string | undefined {
  if (isRecord(body)) {
    // The other keys that `serviceMessage` searches, such as `message`, also come with a success.
    const { error, errors, field_errors } = body;
    return serviceMessage({ error, errors, field_errors });
  }
  if (typeof body !== 'string') return undefined;
  // A text is the service's words for an error, unless it begins like JSON that was cut off. A string or a number is ruled out here. `serviceMessage`
  // rules out an object, a list and a web page.
  return /^\s*["\d]/.test(body) ? undefined : serviceMessage(body);
}

/** The signal with which n8n stops an execution. Undefined for polls and for lists in the editor. */
function cancelSignal(context: RequestContext): AbortSignal | undefined {
  return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}
