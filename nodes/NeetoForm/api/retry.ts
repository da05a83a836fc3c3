import { sleepUnlessAborted, type Clock } from './clock';
import { isRateLimit, mayHaveArrived, type RequestFailure } from './failure';
import { RequestLimiter } from './requestLimiter';

/** At most this many attempts at one request that fails, and at most this long for all of them, waits included. */
const MAX_ATTEMPTS = 5;
export const MAX_RETRY_MS = 60_000;

const FIRST_WAIT_MS = 500;

/** Attempts that failed otherwise than by a rate limit. A write is sent again only when it certainly did not reach the service. */
export interface Attempt {
  isRead: boolean;
  attempts: number;
  /** ms until the request is given up. */
  leftMs: number;
  /** 0 up to 1: spreads the waits of clients that failed together. */
  random: number;
}

interface RetryPolicy<T> {
  /** The failure in an outcome; undefined when it is none, or one that no retry can change. */
  failureOf: (outcome: T) => RequestFailure | undefined;
  isRead: boolean;
  /** ms for all attempts together, and for all pauses since the service last answered. */
  limitMs: number;
  /** ms on the clock: no attempt begins later, and no pause is waited for that ends later. */
  giveUpAt?: number;
  clock: Clock;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Shared with other requests to the same service. Default: one of its own. */
  limiter?: RequestLimiter;
}

/**
 * Sends a request until it succeeds or it makes no sense any more. Before every attempt it waits for the limiter's pause: all requests
 * that share a limiter give up together, when the pauses since the last answer exceed the limit.
 * @param send makes one attempt; it returns at once when the signal has aborted
 */
export async function sendWithRetries<T>(
  send: () => Promise<T>,
  policy: RetryPolicy<T>,
): Promise<{ outcome: T | RequestFailure; attempts: number }> {
  const { failureOf, isRead, limitMs, giveUpAt = Infinity, clock, signal, limiter = new RequestLimiter() } = policy;
  let sent = 0;
  let failed = 0;
  let firstSentAt = NaN;
  let last: RequestFailure = { kind: 'no response', reason: 'timeout' };
  const attempt = async (): Promise<{ outcome: T | RequestFailure; failure?: RequestFailure }> => {
    for (;;) {
      const now = clock.now();
      const [refusal, pauseMs] = [limiter.refusalAt(now), limiter.pauseMs(now)];
      if (now + pauseMs >= giveUpAt) return { outcome: refusal ?? last };
      if (refusal === undefined || signal.aborted) break;
      if (limiter.pausedMs > limitMs) return { outcome: refusal };
      // Another request may prolong the pause meanwhile.
      await clock.sleep(Math.min(pauseMs, 100));
    }
    const sentAt = clock.now();
    if (sent++ === 0) firstSentAt = sentAt;
    const outcome = await send();
    const failure = failureOf(outcome);
    limiter.note(failure, sentAt, clock.now(), Math.random());
    return { outcome, failure };
  };
  for (;;) {
    const { outcome, failure } = await limiter.run(attempt);
    if (failure === undefined) return { outcome, attempts: sent };
    if (isRateLimit(failure)) continue;
    last = failure;
    const leftMs = Math.min(firstSentAt + limitMs, giveUpAt) - clock.now();
    const wait = retryWait(failure, { isRead, attempts: ++failed, leftMs, random: Math.random() });
    if (wait === undefined) return { outcome, attempts: sent };
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/** @returns ms to wait before the next attempt at a request that failed; undefined to give up */
export function retryWait(failure: RequestFailure, attempt: Attempt): number | undefined {
  const { attempts, leftMs, random } = attempt;
  if (attempts >= MAX_ATTEMPTS || !isRetryable(failure, attempt)) return undefined;
  const backOff = FIRST_WAIT_MS * 2 ** (attempts - 1) * (0.5 + random / 2);
  const wait = failure.kind === 'status' ? (failure.retryAfterMs ?? backOff) : backOff;
  return wait <= leftMs ? wait : undefined;
}

function isRetryable(failure: RequestFailure, { isRead, attempts }: Attempt): boolean {
  if (failure.kind === 'status') return isRead && failure.status >= 500;
  if (failure.kind !== 'no response') return false;
  // Waiting out one more timeout is worth it, four more are not.
  return failure.reason === 'timeout' ? isRead && attempts < 2 : isRead || !mayHaveArrived(failure);
}
