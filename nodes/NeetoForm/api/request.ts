import type { IExecuteSingleFunctions, IHttpRequestOptions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { isRecord, parseJson, textOf } from '../json';
import { anySignal, systemClock, unlessAborted, type Clock } from './clock';
import { UnexpectedResponse } from './errors';
import { failureFromError, parseRetryAfter, serviceMessage, type RequestFailure } from './failure';
import type { Subject } from './messages';
import { toNodeApiError } from './nodeApiError';
import type { RequestLimiter } from './requestLimiter';
import { MAX_RETRY_MS, sendWithRetries } from './retry';
import { CREDENTIAL } from './workspaceUrl';

/** What sends requests: the action node for one item, the trigger, the editor's lists. */
type RequestContext = IExecuteSingleFunctions | IPollFunctions | ILoadOptionsFunctions;

/** ms that an attempt may take, body included, unless the user chose a timeout. */
const TIMEOUT_MS = 30_000;

/** Characters of the service's words; a plain text may be a whole page. */
const MAX_WORDS = 2_000;

export interface ApiResponse {
  body: Record<string, unknown>;
  /** ms, the `Date` header: the service's own clock. Undefined when there is none. */
  serverTime?: number;
}

/** A success whose body is not read. */
type Received = Omit<ApiResponse, 'body'> & { status: number; body: Buffer };

export interface RequestPolicy {
  /** What the request is about, so that an error can name it. */
  subject: Subject;
  /** ms that one attempt may take. Default: `TIMEOUT_MS`. */
  timeoutMs?: number;
  /** ms for all attempts together, from the first sending. Default: a minute. */
  retryLimitMs?: number;
  /** End the request, whatever the service does: a poll's hard deadline, a list that needs no further page. */
  signals?: Array<AbortSignal | undefined>;
  /** ms on the clock: no attempt begins later, and no pause is waited for that ends later. Default: never. */
  giveUpAt?: number;
  /** Shared with the other requests of an execution or a poll. */
  limiter?: RequestLimiter;
  clock?: Clock;
}

/**
 * Sends a request with the API key, again where that is safe (`retry.ts`). Every attempt ends in time, its body included.
 *
 * @param parse reads the response; throws UnexpectedResponse when it is not as documented
 * @throws NodeApiError when there is no usable response in the end
 */
export async function request<T>(
  context: RequestContext,
  options: IHttpRequestOptions,
  policy: RequestPolicy,
  parse: (response: ApiResponse) => T,
): Promise<T> {
  const { subject, limiter, giveUpAt, clock = systemClock, retryLimitMs: limitMs = MAX_RETRY_MS } = policy;
  const { outcome, attempts } = await sendWithRetries(async () => await sendOnce(context, options, policy, clock), {
    failureOf: (received) => ('kind' in received ? received : undefined),
    isRead: (options.method ?? 'GET') === 'GET',
    limitMs,
    giveUpAt,
    clock,
    limiter,
    signal: anySignal(cancelSignal(context), ...(policy.signals ?? [])),
  });
  // Whoever waited for the slot sends first, and the service works while this response is read.
  await clock.sleep(0);
  const result = 'kind' in outcome ? outcome : readBody(outcome, parse);
  if ('value' in result) return result.value;
  throw toNodeApiError(context.getNode(), await withoutKeyIn(context, result), subject, attempts);
}

async function sendOnce(
  context: RequestContext,
  options: IHttpRequestOptions,
  { timeoutMs = TIMEOUT_MS, signals = [] }: RequestPolicy,
  clock: Clock,
): Promise<Received | RequestFailure> {
  const canceled = cancelSignal(context);
  // The option 'timeout' alone only watches for inactivity: a body that arrives byte by byte would never end.
  const abortSignal = anySignal(clock.timeout(timeoutMs), canceled, ...signals);
  const stopped = (): RequestFailure | undefined => {
    if (canceled?.aborted === true) return { kind: 'canceled' };
    return abortSignal.aborted ? { kind: 'no response', reason: 'timeout' } : undefined;
  };
  const early = stopped();
  if (early !== undefined) return early;
  try {
    const sending = context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
      ...options,
      timeout: timeoutMs,
      abortSignal,
      // n8n would read the body before the next request can be sent.
      encoding: 'arraybuffer',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    });
    return readStatus(await unlessAborted(sending, abortSignal));
  } catch (error) {
    return stopped() ?? failureFromError(error);
  }
}

/** The service may repeat the key in its words, and n8n keeps errors in its log. */
async function withoutKeyIn(context: RequestContext, failure: RequestFailure): Promise<RequestFailure> {
  if (failure.kind === 'status' && failure.message !== undefined)
    return { ...failure, message: (await withoutKey(context, failure.message)).slice(0, MAX_WORDS) };
  if (failure.kind === 'unreadable' && failure.detail !== undefined)
    return { ...failure, detail: (await withoutKey(context, failure.detail)).slice(0, MAX_WORDS) };
  return failure;
}

/** A text of the service without the API key. */
export async function withoutKey(context: RequestContext, text: string): Promise<string> {
  const { apiKey } = await context.getCredentials(CREDENTIAL);
  const key = textOf(apiKey).trim();
  return key === '' ? text : text.replaceAll(key, '[API key]');
}

/** Reads the status of what n8n's request helper returned. @returns the response when it is a success; else why it is of no use */
export function readStatus(response: unknown): Received | RequestFailure {
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
    message: serviceMessage(parseJson(textIn(body))),
    retryAfterMs: parseRetryAfter(headers['retry-after'], serverTime ?? Date.now()),
    location: textOf(headers.location) || undefined,
  };
}

/** Reads the body of a success. @returns what `parse` makes of it, or why it is of no use */
export function readBody<T>(received: Received, parse: (response: ApiResponse) => T): { value: T } | RequestFailure {
  const content = parseJson(textIn(received.body));
  const refusal = refusalIn(content);
  if (refusal !== undefined) return { kind: 'status', status: received.status, message: refusal };
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

/** The UTF-8 text of a body, without a byte order mark before it: `JSON.parse` refuses that character. */
function textIn(body: Buffer): string {
  return new TextDecoder().decode(body);
}

/** The status of some refusals is undocumented: what is said of errors, or in plain words, says that something was not done. */
function refusalIn(body: unknown): string | undefined {
  if (!isRecord(body)) return typeof body === 'string' && !/^\s*["\d]/.test(body) ? serviceMessage(body) : undefined;
  const { error, errors, field_errors } = body;
  return serviceMessage({ error, errors, field_errors });
}

/** What n8n stops an execution with; a trigger has nothing of the kind. */
function cancelSignal(sender: RequestContext): AbortSignal | undefined {
  return 'getExecutionCancelSignal' in sender ? sender.getExecutionCancelSignal() : undefined;
}
