import type { RequestFailure } from './failure';

/** At most this many attempts at one request, and at most this long for all of them, waits included. */
export const MAX_ATTEMPTS = 5;
export const MAX_RETRY_MS = 60_000;

const FIRST_WAIT_MS = 500;

export interface Attempt {
  /** A read can be sent again; a write only when it certainly did not reach the service. */
  isRead: boolean;
  /** How many attempts were made, 1 or more. */
  attempts: number;
  /** ms since the first attempt began. */
  elapsedMs: number;
  /** ms that all attempts together may take. */
  limitMs: number;
  /** 0 up to 1: spreads the waits of clients that failed together. */
  random: number;
}

/**
 * Decides whether a failed request is sent again.
 *
 * @returns ms to wait before the next attempt, or undefined to give up
 */
export function retryWait(failure: RequestFailure, attempt: Attempt): number | undefined {
  const { attempts, elapsedMs, limitMs, random } = attempt;
  if (attempts >= MAX_ATTEMPTS || !isRetryable(failure, attempt)) return undefined;
  const backOff = FIRST_WAIT_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
  const wait = failure.kind === 'status' ? (failure.retryAfterMs ?? backOff) : backOff;
  return elapsedMs + wait <= limitMs ? wait : undefined;
}

function isRetryable(failure: RequestFailure, { isRead, attempts }: Attempt): boolean {
  switch (failure.kind) {
    case 'status':
      return failure.status === 429 || (isRead && failure.status >= 500);
    case 'no response':
      // Waiting out one more timeout is worth it, four more are not.
      return failure.reason === 'timeout' ? isRead && attempts < 2 : failure.unsent || isRead;
    case 'unreadable':
      return isRead && failure.reason === 'broken JSON';
    default:
      return false;
  }
}
