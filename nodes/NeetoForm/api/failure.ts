import { isRecord } from '../json';

/** Why a request brought no usable answer: plain data, so that retrying and wording can be decided apart from sending. */
export type RequestFailure =
  /** The service answered with a status other than 2xx. `words` are its own, when it gave any. */
  | { kind: 'status'; status: number; words?: string; retryAfterMs?: number }
  /** The service sent the request on to another address, which was not followed. */
  | { kind: 'redirect'; status: number; location?: string }
  /** A 2xx answer that is not the JSON it should be: a web page, cut JSON, or JSON of another shape. */
  | { kind: 'unreadable'; reason: 'web page' | 'broken JSON' | 'unexpected shape'; detail?: string }
  /** No answer: `unsent` = it surely did not reach the service. */
  | {
      kind: 'no answer';
      reason: 'timeout' | 'refused' | 'unknown host' | 'connection lost';
      unsent: boolean;
      code?: string;
    }
  /** Stopped on this side: the credential or n8n would not send it, in their own words. */
  | { kind: 'not sent'; words: string }
  | { kind: 'cancelled' };

const NETWORK_CODES: Record<string, Extract<RequestFailure, { kind: 'no answer' }>['reason']> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  ECONNABORTED: 'timeout',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ERR_BAD_RESPONSE: 'connection lost',
  ERR_NETWORK: 'connection lost',
};

/**
 * Reads the fault from what n8n's request helper threw, without keeping the thrown error: it holds the request and,
 * with it, the API key.
 */
export function failureFromError(thrown: unknown): RequestFailure {
  const code = codeOf(thrown);
  if (code === 'ERR_CANCELED') return { kind: 'cancelled' };
  const reason = code === undefined ? undefined : NETWORK_CODES[code];
  if (reason !== undefined) {
    return { kind: 'no answer', reason, unsent: reason === 'refused' || reason === 'unknown host', code };
  }
  return { kind: 'not sent', words: thrown instanceof Error ? thrown.message : 'n8n could not send the request' };
}

/** The `code` of an error or of the nearest cause that has one. */
function codeOf(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return error.code;
    // Older versions of n8n (2.30, say) lose the cause, and keep its code where a status would be.
    if ('httpCode' in error && typeof error.httpCode === 'string' && /^E[A-Z_]+$/.test(error.httpCode))
      return error.httpCode;
  }
  return undefined;
}

/**
 * The service's own words from an error body. Only `error` is documented (`service-api.md`, "Errors"); `notice`, `errors` and
 * `field_errors` have been seen in the wild and are read in this order.
 */
export function serviceMessage(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const { error, notice, errors, field_errors: fieldErrors } = body;
  if (isText(error)) return error;
  if (isText(notice)) return notice;
  const list = Array.isArray(errors) ? errors.filter(isText) : [];
  if (list.length > 0) return list.join(' ');
  const fields = Array.isArray(fieldErrors)
    ? fieldErrors.filter(isRecord).map(({ field, message }) => [field, message].filter(isText).join(': '))
    : [];
  return fields.filter(isText).join(' ') || undefined;
}

/**
 * @param value of the `Retry-After` header: seconds, or an HTTP date
 * @param serverTime ms, what the date is measured from
 * @returns ms to wait, or undefined when there is nothing to go by
 */
export function parseRetryAfter(value: unknown, serverTime: number): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverTime);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
