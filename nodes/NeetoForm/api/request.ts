import type {
  IDataObject,
  IExecuteSingleFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IPollFunctions,
} from 'n8n-workflow';
import { sleepUnlessAborted, systemClock, type Clock } from './clock';
import { CREDENTIAL } from './credential';
import { raise, type Subject } from './errors';
import { isRecord } from '../json';
import { failureFromError, parseRetryAfter, serviceMessage, type RequestFailure } from './failure';
import { MAX_RETRY_MS, retryWait } from './retry';

/** Whoever sends: the action node for one item, the trigger, the editor's lists. */
export type RequestContext = IExecuteSingleFunctions | IPollFunctions | ILoadOptionsFunctions;

/** A request may take this long, unless the user set a timeout. */
export const TIMEOUT_MS = 30_000;

export interface ApiResponse {
  status: number;
  body: Record<string, unknown>;
  /** ms, the `Date` header: the service's own clock. Undefined when there is none. */
  serverTime?: number;
}

export interface RequestPolicy {
  /** What was asked for, so that an error can name it. */
  subject: Subject;
  /** ms for all tries together. */
  limitMs?: number;
  /** Runs one try; a limiter can hold it back. */
  run?: (attempt: () => Promise<ApiResponse | RequestFailure>) => Promise<ApiResponse | RequestFailure>;
  /** Hears of each fault, whether it will be tried again or not. */
  onFault?: (fault: RequestFailure) => void;
  clock?: Clock;
}

/**
 * Sends a request with the API key, again where that is safe (`retry.ts`), and gives the answer's JSON.
 *
 * @param options n8n's request options; a fresh copy goes out with every try
 * @throws NodeApiError worded by `errors.ts` when there is no usable answer in the end
 */
export async function request(
  sender: RequestContext,
  options: IHttpRequestOptions,
  policy: RequestPolicy,
): Promise<ApiResponse> {
  const { subject, limitMs = MAX_RETRY_MS, run = atOnce, onFault, clock = systemClock } = policy;
  const isRead = (options.method ?? 'GET') === 'GET';
  const started = clock.now();
  for (let tries = 1; ; tries++) {
    const outcome = await run(async () => await sendOnce(sender, options));
    if ('body' in outcome) return outcome;
    onFault?.(outcome);
    const wait = retryWait(outcome, {
      isRead,
      tries,
      elapsedMs: clock.now() - started,
      limitMs,
      random: Math.random(),
    });
    if (wait === undefined) return raise(sender.getNode(), outcome, subject, tries);
    await sleepUnlessAborted(clock, wait, cancelSignal(sender));
  }
}

async function atOnce<T>(attempt: () => Promise<T>): Promise<T> {
  return await attempt();
}

async function sendOnce(sender: RequestContext, options: IHttpRequestOptions): Promise<ApiResponse | RequestFailure> {
  if (cancelSignal(sender)?.aborted) return { kind: 'cancelled' };
  try {
    const response: unknown = await sender.helpers.httpRequestWithAuthentication.call(sender, CREDENTIAL, {
      timeout: TIMEOUT_MS,
      ...structuredClone({ ...options, abortSignal: undefined }),
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    });
    return readResponse(response);
  } catch (error) {
    return failureFromError(error);
  }
}

function readResponse(response: unknown): ApiResponse | RequestFailure {
  if (!isRecord(response) || typeof response.statusCode !== 'number') {
    return { kind: 'unreadable', reason: 'unexpected shape', detail: 'n8n gave no full response' };
  }
  const { statusCode: status, body } = response;
  const headers: IDataObject = isRecord(response.headers) ? (response.headers as IDataObject) : {};
  const date = typeof headers.date === 'string' ? Date.parse(headers.date) : NaN;
  const serverTime = Number.isNaN(date) ? undefined : date;
  if (status >= 300 && status < 400) {
    return { kind: 'redirect', status, location: typeof headers.location === 'string' ? headers.location : undefined };
  }
  if (status < 200 || status >= 300) {
    return {
      kind: 'status',
      status,
      words: serviceMessage(body),
      retryAfterMs: parseRetryAfter(headers['retry-after'], serverTime ?? Date.now()),
    };
  }
  if (body === '' || body === undefined) return { status, body: {}, serverTime };
  if (isRecord(body))
    return isRefusal(body) ? { kind: 'status', status, words: serviceMessage(body) } : { status, body, serverTime };
  if (typeof body !== 'string')
    return { kind: 'unreadable', reason: 'unexpected shape', detail: 'a JSON object was expected' };
  return { kind: 'unreadable', reason: /^\s*</.test(body) ? 'web page' : 'broken JSON' };
}

/** `service-api.md` does not show the status of some refusals ("Errors"): their body alone tells that nothing was done. */
function isRefusal(body: Record<string, unknown>): boolean {
  return typeof body.error === 'string' && Object.keys(body).length === 1;
}

/** What n8n stops an execution with; a trigger has nothing of the kind. */
export function cancelSignal(sender: RequestContext): AbortSignal | undefined {
  return 'getExecutionCancelSignal' in sender ? sender.getExecutionCancelSignal() : undefined;
}
