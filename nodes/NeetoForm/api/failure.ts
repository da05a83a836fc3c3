import { isRecord, textOf, toText } from '../json';

/** Why a request returned nothing usable: plain data, so that retrying and messages can be decided apart from sending. */
export type RequestFailure =
  /** A status other than 2xx. `message` is the service's own, `location` the address of a redirect, which was not followed. */
  | { kind: 'status'; status: number; message?: string; retryAfterMs?: number; location?: string }
  /** A 2xx response that is not the JSON it should be: a web page, cut JSON, or JSON of another shape. */
  | { kind: 'unreadable'; reason: 'web page' | 'broken JSON' | 'unexpected shape'; detail?: string }
  | { kind: 'no response'; reason: NoResponseReason; code?: string }
  /** The server's certificate is for another host, has expired, or is not trusted here. */
  | { kind: 'untrusted'; code: string }
  /** Stopped on this side: the credential or n8n would not send it, in their own words. */
  | { kind: 'not sent'; message: string }
  | { kind: 'canceled' };

/** The service limits the rate of requests. */
export type RateLimit = Extract<RequestFailure, { kind: 'status' }> & { status: 429 };

export function isRateLimit(failure: RequestFailure | undefined): failure is RateLimit {
  return failure?.kind === 'status' && failure.status === 429;
}

export type NoResponseReason = 'timeout' | 'refused' | 'unknown host' | 'no route' | 'connection lost';

/** What the codes of failures mean. Any other code may be that of a lost connection. */
const REASONS: Array<[codes: RegExp, reason: NoResponseReason]> = [
  [/^(?:ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/, 'timeout'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/, 'unknown host'],
  [/^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/, 'no route'],
];

const UNTRUSTED =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|CERT_UNTRUSTED|CERT_REVOKED)$/;

/** What n8n, axios and Node.js refuse before they connect. */
const REFUSED_HERE = /^ERR_(?:INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|ILLEGAL|UNSUPPORTED)/;

/** Whether the service may have received the request, and done what it says: no connection was made for some failures. */
export function mayHaveArrived(failure: RequestFailure): boolean {
  if (failure.kind === 'status') return failure.status >= 500;
  if (failure.kind === 'unreadable') return failure.reason !== 'web page';
  return failure.kind === 'no response' && /^(?:timeout|connection lost)$/.test(failure.reason);
}

/** The failure in what n8n's request helper threw, without the thrown error: it holds the request and, with it, the API key. */
export function failureFromError(thrown: unknown): RequestFailure {
  const code = codeOf(thrown);
  const message = thrown instanceof Error ? thrown.message : 'n8n could not send the request';
  if (code === 'ERR_CANCELED') return { kind: 'canceled' };
  // The agents for proxies give no code.
  if (code === undefined && /proxy|tunnel/i.test(message)) return { kind: 'no response', reason: 'no route' };
  if (code === undefined || REFUSED_HERE.test(code)) return { kind: 'not sent', message };
  if (UNTRUSTED.test(code)) return { kind: 'untrusted', code };
  const [, reason = 'connection lost'] = REASONS.find(([codes]) => codes.test(code)) ?? [];
  return { kind: 'no response', reason, code };
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

/** Where error bodies have the service's own words. Only `error` is documented; the others are in use too. */
const WORDS = ['error', 'notice', 'message', 'errors', 'field_errors', 'detail'];

/** Words that lie deeper are not looked for, so that no body can overflow the stack. */
const MAX_DEPTH = 10;

/** The service's own words in the body of an error, whatever its shape; undefined when it has none. */
export function serviceMessage(body: unknown): string | undefined {
  // A proxy answers with a web page, or with JSON that was cut off: neither is in words.
  if (typeof body === 'string') return /^\s*[<{[]/.test(body) ? undefined : body.trim() || undefined;
  const found = isRecord(body) ? WORDS.flatMap((key) => wordsIn(toText(body[key]) || body[key])) : wordsIn(body);
  return [...new Set(found)].join(' ') || undefined;
}

/** Texts, and `name: text` for those that belong to a field: `{field: 'title', message: 'is empty'}` or `{title: ['is empty']}`. */
function wordsIn(value: unknown, depth = MAX_DEPTH): string[] {
  if (depth === 0) return [];
  const within = (part: unknown) => wordsIn(part, depth - 1);
  if (Array.isArray(value)) return value.flatMap(within);
  if (!isRecord(value)) return textOf(value).trim() === '' ? [] : [textOf(value).trim()];
  const { field, message, ...others } = value;
  if (message !== undefined) return within(message).map((words) => prefixed(field, words));
  return Object.entries(others).flatMap(([name, words]) => within(words).map((text) => prefixed(name, text)));
}

function prefixed(name: unknown, words: string): string {
  return textOf(name) === '' || name === 'base' ? words : `${textOf(name)}: ${words}`;
}

/** ms; nobody waits for longer. */
const LONGEST_RETRY_AFTER_MS = 365 * 86_400_000;

/** @param value seconds, or an HTTP date @param serverTime ms @returns ms to wait; undefined for anything else, or over a year */
export function parseRetryAfter(value: unknown, serverTime: number): number | undefined {
  const text = textOf(value).trim();
  // JavaScript takes almost anything with a number in it for a date.
  const date = /^[a-z]{3}.*\d:\d\d/i.test(text) ? Date.parse(text) : NaN;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Math.ceil(Number(text) * 1000) : Math.max(0, date - serverTime);
  return ms <= LONGEST_RETRY_AFTER_MS ? ms : undefined;
}
