import { UserError, type IDataObject } from 'n8n-workflow';
import { isRecord, messageOf, textOf } from '../json';

/** Why a request brought nothing usable. */
export type RequestFailure =
  /** The service refused the request, by its status or by the body of a 2xx response. `message` has the service's own words. */
  | { kind: 'status'; status: number; message?: string; retryAfterMs?: number; location?: string }
  /** A 2xx response that is not the JSON it should be. */
  | { kind: 'unreadable'; reason: 'web page' | 'broken JSON' | 'unexpected shape'; detail?: string }
  /** No response came, or it broke off. `code` is that of Node.js, such as ECONNREFUSED. */
  | { kind: 'no response'; reason: NoResponseReason; code?: string }
  /** The server's certificate is not trusted: it has expired, for example. */
  | { kind: 'untrusted'; code: string }
  /** The request was stopped on this side, by the credential for example. `message` is that of the thrown error. */
  | { kind: 'not sent'; message: string }
  | { kind: 'canceled' };

export type Refusal = Extract<RequestFailure, { kind: 'status' }>;

export type RateLimit = Refusal & { status: 429 };

export function isRateLimit(failure: RequestFailure | undefined): failure is RateLimit {
  return failure?.kind === 'status' && failure.status === 429;
}

export type NoResponseReason = 'timeout' | 'connection refused' | 'unknown host' | 'no route' | 'connection lost';

/** What the codes of Node.js and axios mean. Any other code, such as ECONNRESET, means a lost connection, unless another list below has it. */
const REASONS: Array<[codes: RegExp, reason: NoResponseReason]> = [
  [/^(?:ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/, 'timeout'],
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/, 'unknown host'],
  [/^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/, 'no route'],
];

const UNTRUSTED =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|CERT_UNTRUSTED|CERT_REVOKED)$/;

/** The codes of errors that are thrown before connecting, because the request itself is wrong. */
const NOT_SENT = /^ERR_(?:INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|ILLEGAL|UNSUPPORTED)/;

/** Whether the service may have carried out a failed request. After a timeout, for example, nobody knows. */
export function mayHaveTakenEffect(failure: RequestFailure): boolean {
  if (failure.kind === 'status') return failure.status >= 500;
  // A web page comes from another server, which did not pass the request on.
  if (failure.kind === 'unreadable') return failure.reason !== 'web page';
  if (failure.kind === 'canceled') return true;
  return failure.kind === 'no response' && /^(?:timeout|connection lost)$/.test(failure.reason);
}

/** Turns an error of n8n's request helper into a failure. The error itself is not kept, because it holds the API key. */
export function failureFromError(thrown: unknown): RequestFailure {
  const userError = causesOf(thrown).find((error) => error instanceof UserError);
  // The credential did not add its key, or n8n refused the address.
  if (userError !== undefined) return { kind: 'not sent', message: userError.message };
  const code = codeOf(thrown);
  const message = messageOf(thrown) || 'n8n could not send the request';
  if (code === 'ERR_CANCELED') return { kind: 'canceled' };
  // The error of a proxy has no code.
  if (code === undefined && /proxy|tunnel/i.test(message)) return { kind: 'no response', reason: 'no route' };
  if (code === undefined || NOT_SENT.test(code)) return { kind: 'not sent', message };
  if (UNTRUSTED.test(code)) return { kind: 'untrusted', code };
  const [, reason = 'connection lost'] = REASONS.find(([codes]) => codes.test(code)) ?? [];
  return { kind: 'no response', reason, code };
}

/** An error, its cause, the cause of that, and so on. n8n wraps the errors of its HTTP client. */
function causesOf(thrown: unknown): IDataObject[] {
  return isRecord(thrown) ? [thrown, ...causesOf(thrown.cause)] : [];
}

function codeOf(thrown: unknown): string | undefined {
  for (const { code, httpCode } of causesOf(thrown)) {
    if (typeof code === 'string') return code;
    // Older versions of n8n, such as 2.30, drop the cause and put its code into `httpCode`, which otherwise holds a status.
    if (typeof httpCode === 'string' && /^[A-Z][A-Z_]+$/.test(httpCode)) return httpCode;
  }
  return undefined;
}

/** The keys of the service's own words in the body of an error. Only `error` is documented. */
const WORDS = ['error', 'notice', 'message', 'errors', 'field_errors', 'detail'];

/** How many levels of a body are searched for words. Without this bound, a deeply nested body would overflow the stack. */
const MAX_DEPTH = 10;

/** Finds the service's own words in the body of an error, which is parsed JSON or a text. @returns undefined when there are none */
export function serviceMessage(body: unknown): string | undefined {
  // A text that begins like a web page, or like JSON that was cut off, is no message for people.
  if (typeof body === 'string') return /^\s*[<{[]/.test(body) ? undefined : body.trim() || undefined;
  // A number under one of the keys may be the code of the error. It becomes a text, because `messagesIn` leaves out numbers.
  const codeAsText = (value: unknown) => (typeof value === 'number' ? String(value) : value);
  const found = isRecord(body) ? WORDS.flatMap((key) => messagesIn(codeAsText(body[key]))) : messagesIn(body);
  return [...new Set(found)].join(' ') || undefined;
}

/** All texts in a value. Both `{field: 'title', message: 'is empty'}` and `{title: ['is empty']}` give `title: is empty`. */
function messagesIn(value: unknown, depth = MAX_DEPTH): string[] {
  if (depth === 0) return [];
  const within = (part: unknown) => messagesIn(part, depth - 1);
  if (Array.isArray(value)) return value.flatMap(within);
  if (!isRecord(value)) return textOf(value).trim() === '' ? [] : [textOf(value).trim()];
  const { field, message } = value;
  if (message !== undefined) return within(message).map((words) => prefixed(field, words));
  return Object.entries(value).flatMap(([name, words]) => within(words).map((text) => prefixed(name, text)));
}

/** Puts the name of a field before a text. In Ruby on Rails, `base` stands for the object as a whole. */
function prefixed(name: unknown, words: string): string {
  return textOf(name) === '' || name === 'base' ? words : `${textOf(name)}: ${words}`;
}

const LONGEST_RETRY_AFTER_MS = 365 * 86_400_000;

/** Reads a `Retry-After` header: seconds, or an HTTP date. @param serverTime ms since 1970 @returns ms; undefined for an unusable header */
export function parseRetryAfter(value: unknown, serverTime: number): number | undefined {
  const text = textOf(value).trim();
  // `Date.parse` alone would read almost any text with a number in it as a date. It would read the oldest form of an HTTP date, which ends with the
  // year and names no time zone, as local time.
  const date = /^[a-z]{3}.*\d:\d\d/i.test(text) ? Date.parse(text.replace(/ \d{4}$/, '$& GMT')) : NaN;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Math.ceil(Number(text) * 1000) : Math.max(0, date - serverTime);
  // An unreadable header gives NaN, for which this is false.
  return ms <= LONGEST_RETRY_AFTER_MS ? ms : undefined;
}
