import type { RequestFailure } from './failure';

/** At most this many tries of one request, and at most this long for all of them, waits included. */
export const MAX_TRIES = 5;
export const MAX_RETRY_MS = 60_000;

const FIRST_WAIT_MS = 500;

export interface Try {
  /** Reads can be asked twice; a write only when it surely did not reach the service. */
  isRead: boolean;
  /** How many tries were made, 1 or more. */
  tries: number;
  /** ms since the first try began. */
  elapsedMs: number;
  /** ms that all tries together may take. */
  limitMs: number;
  /** 0 up to 1: spreads the waits of clients that failed together. */
  random: number;
}

/**
 * Decides whether a failed request is tried again.
 *
 * @returns ms to wait before the next try, or undefined to give up
 */
export function retryWait(
  fault: RequestFailure,
  { isRead, tries, elapsedMs, limitMs, random }: Try,
): number | undefined {
  if (tries >= MAX_TRIES || !isTransient(fault, isRead)) return undefined;
  const backOff = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + random / 2);
  const wait = fault.kind === 'status' ? (fault.retryAfterMs ?? backOff) : backOff;
  return elapsedMs + wait <= limitMs ? wait : undefined;
}

function isTransient(fault: RequestFailure, isRead: boolean): boolean {
  switch (fault.kind) {
    case 'status':
      return fault.status === 429 || (isRead && fault.status >= 500);
    case 'no answer':
      return fault.unsent || isRead;
    case 'unreadable':
      return isRead && fault.reason === 'broken JSON';
    default:
      return false;
  }
}
