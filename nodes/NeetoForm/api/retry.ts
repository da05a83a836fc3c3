import { sleepUnlessAborted, type Clock } from './clock';
import { isRateLimit, mayHaveArrived, type RequestFailure } from './failure';
import { RequestLimiter } from './requestLimiter';

/** How often a request that fails is sent at most. A 429 does not count as an attempt. */
const MAX_ATTEMPTS = 5;

/** ms that all attempts may take together, with the waits between them. */
export const MAX_RETRY_MS = 60_000;

/** ms before the second attempt. Each further wait is twice as long. */
const FIRST_WAIT_MS = 500;

/** What `retryWait` decides by. */
export interface Attempt {
  /** Whether the request changes nothing. A write is sent again only when it certainly did not reach the service. */
  isRead: boolean;
  /** How many attempts have failed. Attempts that ended with a 429 are not counted: the limiter decides when those are sent again. */
  attempts: number;
  /** ms until the request is given up. */
  leftMs: number;
  /** 0 up to 1. It makes waits different, so that clients that failed together do not come back together. */
  random: number;
}

interface RetryPolicy<T> {
  /** Finds the failure in an outcome. Undefined for a success, and for an outcome with which no further attempt is to be made. */
  failureOf: (outcome: T) => RequestFailure | undefined;
  isRead: boolean;
  /** ms for all attempts together, from the first sending on. Pauses in a row, after 429s, may together be no longer than this, either. */
  limitMs: number;
  /** A time on the clock, in ms. No attempt begins after it, and no pause that ends after it is waited for. Default: never. */
  giveUpAt?: number;
  clock: Clock;
  /** Ends a wait when it aborts. */
  signal: AbortSignal;
  /** The limiter that the requests to one service share. Default: one of its own. */
  limiter?: RequestLimiter;
}

/**
 * Sends a request until it succeeds, or until a further attempt makes no sense. Each attempt waits for its turn in the limiter, and for the
 * end of the limiter's pause. When the pauses in a row are longer than `limitMs`, all requests that share the limiter give up.
 *
 * @param send makes one attempt. When the signal has aborted, it must return at once
 * @returns the outcome of the last attempt, or the failure that kept it from being made; and how many attempts were made
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
  /** One attempt. @returns `retryable` when the outcome is a failure after which another attempt may be made */
  const attempt = async (): Promise<{ outcome: T | RequestFailure; retryable?: RequestFailure }> => {
    for (;;) {
      const now = clock.now();
      const [refusal, pauseMs] = [limiter.refusalAt(now), limiter.pauseMs(now)];
      if (now + pauseMs >= giveUpAt) return { outcome: refusal ?? last };
      if (refusal === undefined || signal.aborted) break;
      if (limiter.pausedMs > limitMs) return { outcome: refusal };
      // Another request may have prolonged the pause meanwhile, so it is looked at every 100 ms.
      await clock.sleep(Math.min(pauseMs, 100));
    }
    const sentAt = clock.now();
    if (sent++ === 0) firstSentAt = sentAt;
    const outcome = await send();
    const failure = failureOf(outcome);
    limiter.note(failure, sentAt, clock.now(), Math.random());
    return { outcome, retryable: failure };
  };
  for (;;) {
    const { outcome, retryable } = await limiter.run(attempt);
    if (retryable === undefined) return { outcome, attempts: sent };
    // After a 429, the next attempt waits for its turn again, and for the pause that the limiter has noted.
    if (isRateLimit(retryable)) continue;
    last = retryable;
    const leftMs = Math.min(firstSentAt + limitMs, giveUpAt) - clock.now();
    const wait = retryWait(retryable, { isRead, attempts: ++failed, leftMs, random: Math.random() });
    if (wait === undefined) return { outcome, attempts: sent };
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/** Decides whether a request that failed is sent again. @returns ms to wait before the next attempt; undefined to give up */
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
  // One more timeout is worth waiting for. Four more would keep the user waiting for minutes.
  return failure.reason === 'timeout' ? isRead && attempts < 2 : isRead || !mayHaveArrived(failure);
}
