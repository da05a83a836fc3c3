import { sleepUnlessAborted, type Clock } from './clock';
import { isRateLimit, mayHaveTakenEffect, type RequestFailure } from './failure';
import { RequestLimiter } from './requestLimiter';

/** After how many failures a request is given up. A response with 429 does not count as a failure. */
const MAX_FAILURES = 5;

/** ms after the first sending. A failure that comes later is final. (How long a request waits after 429s is told at `limitMs`.) */
export const MAX_RETRY_MS = 60_000;

/** ms before the second attempt. Each further wait is twice as long. Each is shortened at random, by half at most. */
const FIRST_WAIT_MS = 500;

/** What `retryWait` decides by. */
export interface Attempt {
  /** Whether the request changes nothing. A write is sent again only if the service certainly did not carry it out. */
  isRead: boolean;
  /** How many attempts have failed. Those that ended with a 429 are not counted: the limiter decides when they are sent again. */
  failures: number;
  /** ms until the request is given up. */
  leftMs: number;
  /** 0 up to 1. It makes waits different, so that clients that failed together do not come back together. */
  random: number;
}

interface RetryPolicy<T> {
  /**
   * Finds the failure in an outcome. Undefined for a success, and for an outcome after which the request must end, although it is no success:
   * a file that is too large, for example.
   */
  failureOf: (outcome: T) => RequestFailure | undefined;
  isRead: boolean;
  /**
   * ms for all attempts together, pauses included, counted from the first sending. After it, a failure other than a 429 is final. For 429s,
   * another bound holds: the request fails when the pauses of a series of 429s (`pausedMs` of the limiter) are longer than `limitMs` together.
   */
  limitMs: number;
  /** A time on the clock, in ms. No attempt begins after it, and a pause that lasts until then is not waited for. Default: never. */
  giveUpAt?: number;
  clock: Clock;
  /** Ends a wait when it aborts. */
  signal: AbortSignal;
  /** The limiter that the requests to one service share. Default: one of its own. */
  limiter?: RequestLimiter;
}

/**
 * Sends a request until it succeeds, or until a further attempt makes no sense. Each attempt waits for its turn in the limiter, and for the
 * end of the limiter's pause. When the pauses of a series of 429s are longer than `limitMs`, all requests that share the limiter give up.
 *
 * @param send makes one attempt. When the signal has aborted, it must return at once
 * @returns the outcome of the last attempt, or the failure that kept it from being made; and how many attempts were made, 429s included
 */
export async function sendWithRetries<T>(
  send: () => Promise<T>,
  policy: RetryPolicy<T>,
): Promise<{ outcome: T | RequestFailure; attempts: number }> {
  const { failureOf, isRead, limitMs, giveUpAt = Infinity, clock, signal, limiter = new RequestLimiter() } = policy;
  let attempts = 0;
  let failures = 0;
  let firstSentAt = NaN;
  // What is returned when the time is over before the next attempt: the last failure, or a timeout when no attempt was made.
  let lastFailure: RequestFailure = { kind: 'no response', reason: 'timeout' };
  /**
   * Waits for the end of the limiter's pause and makes one attempt.
   *
   * @returns the outcome; and the failure in it, by which it is decided whether to send again. Without one, the request ends.
   */
  const attempt = async (): Promise<{ outcome: T | RequestFailure; failure?: RequestFailure }> => {
    for (;;) {
      const now = clock.now();
      const pauseMs = limiter.pauseMs(now);
      // Undefined when no pause lasts.
      const rateLimit = limiter.rateLimitAt(now);
      if (now + pauseMs >= giveUpAt) return { outcome: rateLimit ?? lastFailure };
      // A request that was aborted does not wait: `send` returns at once, and its outcome says why the request was aborted.
      if (rateLimit === undefined || signal.aborted) break;
      if (limiter.pausedMs > limitMs) return { outcome: rateLimit };
      // Another request may prolong the pause, so its end is calculated again every 100 ms.
      await clock.sleep(Math.min(pauseMs, 100));
    }
    const sentAt = clock.now();
    if (attempts++ === 0) firstSentAt = sentAt;
    const outcome = await send();
    const failure = failureOf(outcome);
    limiter.note(failure, sentAt, clock.now(), Math.random());
    return { outcome, failure };
  };
  for (;;) {
    const { outcome, failure } = await limiter.run(attempt);
    if (failure === undefined) return { outcome, attempts };
    // After a 429, the next attempt waits for its turn again, and for the pause that the limiter has noted.
    if (isRateLimit(failure)) continue;
    lastFailure = failure;
    failures++;
    const leftMs = Math.min(firstSentAt + limitMs, giveUpAt) - clock.now();
    const wait = retryWait(failure, { isRead, failures, leftMs, random: Math.random() });
    if (wait === undefined) return { outcome, attempts };
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/** Decides whether a request that failed is sent again. @returns ms to wait before the next attempt; undefined to give up */
export function retryWait(failure: RequestFailure, attempt: Attempt): number | undefined {
  const { failures, leftMs, random } = attempt;
  if (failures >= MAX_FAILURES || !isRetryable(failure, attempt)) return undefined;
  const backOff = FIRST_WAIT_MS * 2 ** (failures - 1) * (0.5 + random / 2);
  const wait = failure.kind === 'status' ? (failure.retryAfterMs ?? backOff) : backOff;
  return wait <= leftMs ? wait : undefined;
}

function isRetryable(failure: RequestFailure, { isRead, failures }: Attempt): boolean {
  if (failure.kind === 'status') return isRead && failure.status >= 500;
  if (failure.kind !== 'no response') return false;
  // After a timeout, a read is sent again only if this is its first failure. The trigger gives each attempt ten seconds: if the service hangs, five
  // attempts would take all the time of a poll.
  return failure.reason === 'timeout' ? isRead && failures < 2 : isRead || !mayHaveTakenEffect(failure);
}
