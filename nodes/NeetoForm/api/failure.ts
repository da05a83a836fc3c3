import { isRecord, textOf } from '../json';

/** Why a request returned nothing usable: plain data, so that retrying and messages can be decided apart from sending. */
export type RequestFailure =
  /** The service responded with a status other than 2xx. `message` is its own, if it gave any. */
  | { kind: 'status'; status: number; message?: string; retryAfterMs?: number }
  /** The service redirected the request to another address, which was not followed. */
  | { kind: 'redirect'; status: number; location?: string }
  /** A 2xx response that is not the JSON it should be: a web page, cut JSON, or JSON of another shape. */
  | { kind: 'unreadable'; reason: 'web page' | 'broken JSON' | 'unexpected shape'; detail?: string }
  /** No response: `unsent` = the request surely did not reach the service. */
  | { kind: 'no response'; reason: NoResponseReason; unsent: boolean; code?: string }
  /**
   * The server's certificate is for another host, or not trusted here. Time changes nothing about it, unlike a certificate that has
   * expired or a clock that is wrong: the address or n8n's settings must change.
   */
  | { kind: 'untrusted'; code: string }
  /** Stopped on this side: the credential or n8n would not send it, in their own words. */
  | { kind: 'not sent'; message: string }
  | { kind: 'canceled' };

/** The service limits the rate of requests. */
export type RateLimit = Extract<RequestFailure, { kind: 'status' }> & { status: 429 };

export function isRateLimit(failure: RequestFailure | undefined): failure is RateLimit {
  return failure?.kind === 'status' && failure.status === 429;
}

export type NoResponseReason =
  'timeout' | 'refused' | 'unknown host' | 'no route' | 'expired certificate' | 'connection lost' | 'garbled';

/** Failures of connecting: no byte of the request was sent. */
const UNSENT: Record<string, NoResponseReason> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  EAI_FAIL: 'unknown host',
  EHOSTUNREACH: 'no route',
  EHOSTDOWN: 'no route',
  ENETUNREACH: 'no route',
  ENETDOWN: 'no route',
  EADDRNOTAVAIL: 'no route',
  // These two pass when the certificate is renewed or the clock of this computer is set.
  CERT_HAS_EXPIRED: 'expired certificate',
  CERT_NOT_YET_VALID: 'expired certificate',
};

const UNTRUSTED = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
  'CERT_REVOKED',
]);

/** What n8n, axios and Node.js refuse before they connect. */
const REFUSED_HERE = /^ERR_(?:INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|ILLEGAL|UNSUPPORTED)/;

/** A response that the HTTP parser or the decompression cannot read. */
const GARBLED = /^(?:HPE_|Z_|ERR_BROTLI|ERR_BUFFER|ERR_STREAM)/;

const TIMEOUTS = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/**
 * Reads the failure from what n8n's request helper threw, without keeping the thrown error: it holds the request and,
 * with it, the API key. A code that is not known here may have come after the request was received.
 */
export function failureFromError(thrown: unknown): RequestFailure {
  const code = codeOf(thrown);
  const message = thrown instanceof Error ? thrown.message : 'n8n could not send the request';
  if (code === 'ERR_CANCELED') return { kind: 'canceled' };
  // The agents for proxies give no code.
  if (code === undefined && /proxy|tunnel/i.test(message))
    return { kind: 'no response', reason: 'no route', unsent: true };
  if (code === undefined || REFUSED_HERE.test(code)) return { kind: 'not sent', message };
  if (UNTRUSTED.has(code)) return { kind: 'untrusted', code };
  const unsent = UNSENT[code];
  if (unsent !== undefined) return { kind: 'no response', reason: unsent, unsent: true, code };
  const reason = TIMEOUTS.has(code) ? 'timeout' : GARBLED.test(code) ? 'garbled' : 'connection lost';
  return { kind: 'no response', reason, unsent: false, code };
}

/** The `code` of an error or of the nearest cause that has one. */
function codeOf(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code: unknown = Reflect.get(error, 'code');
    if (typeof code === 'string') return code;
    // Older versions of n8n (2.30, say) lose the cause, and keep its code where a status would be.
    const httpCode: unknown = Reflect.get(error, 'httpCode');
    if (typeof httpCode === 'string' && /^[A-Z][A-Z_]+$/.test(httpCode)) return httpCode;
  }
  return undefined;
}

/** The service's own message in an error body. Only `error` is documented; the other three are in use too, and read in this order. */
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
  const text = textOf(value).trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // JavaScript takes almost anything with a number in it for a date.
  const date = /^[a-z]{3}.*\d:\d\d/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverTime);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
