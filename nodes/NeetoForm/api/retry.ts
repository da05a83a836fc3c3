import { sleepUnlessAborted, type Clock } from './clock';
import { isRateLimit, mayHaveTakenEffect, type RequestFailure } from './failure';
import { backOffMs, RequestLimiter } from './requestLimiter';

/** After how many failures a request is given up. A response with 429 does not count as a failure. */
const MAX_FAILURES = 5;

export interface Attempt {
  /** Whether the request changes nothing. A write is sent again only if the service certainly did not carry it out. */
  isRead: boolean;
  failures: number;
  /** ms until the request is given up. */
  leftMs: number;
  random: number;
}

export interface RetryPolicy<T> {
  /** Finds the failure in an outcome. Undefined for a success, and for any other end that is final: a file that is too large, for example. */
  failureOf: (outcome: T) => RequestFailure | undefined;
  isRead: boolean;
  /** ms, used twice: how late after its first sending a failed request may be sent again, and how long pauses after 429s may be in total. */
  limitMs: number;
  /** The time on the clock, in ms, from which no attempt begins. A pause that lasts until then is not waited for. Default: never. */
  giveUpAt?: number;
  clock: Clock;
  /** Ends a wait when it aborts. */
  signal: AbortSignal;
  /** The limiter that the requests to one service share. Default: one of its own. */
  limiter?: RequestLimiter;
}

/**
 * Sends a request until it succeeds or is given up. Each attempt waits for its turn in the limiter, and for the end of the limiter's pause.
 *
 * @param send makes one attempt. When the signal has aborted, it must return at once
 * @returns the outcome of the last attempt, or the failure that explains why there was no further attempt. `attempts` includes those with a 429
 */
export async function sendWithRetries<T>(
  send: () => Promise<T>,
  policy: RetryPolicy<T>,
): Promise<{ outcome: T | RequestFailure; attempts: number }> {
  const { failureOf, isRead, limitMs, giveUpAt = Infinity, clock, signal, limiter = new RequestLimiter() } = policy;
  let attempts = 0;
  let failures = 0;
  let firstSentAt = NaN;
  // If the time is over before the first attempt, the request ends with this timeout.
  let lastFailure: RequestFailure = { kind: 'no response', reason: 'timeout' };
  /** Waits for the end of the pause and makes one attempt. @returns the outcome. Without a `failure`, it is final */
  const attempt = async (): Promise<{ outcome: T | RequestFailure; failure?: RequestFailure }> => {
    for (;;) {
      const now = clock.now();
      const pauseMs = limiter.pauseMs(now);
      const rateLimit = limiter.rateLimitAt(now);
      if (now + pauseMs >= giveUpAt) return { outcome: rateLimit ?? lastFailure };
      // An aborted request does not wait: the outcome of `send` says why it was aborted.
      if (rateLimit === undefined || signal.aborted) break;
      if (limiter.seriesPauseMs > limitMs) return { outcome: rateLimit };
      // In short steps: meanwhile, another 429 may prolong the pause, the clock may be set back, and the signal may abort.
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
    // The next attempt goes to the back of the queue, so that a request that always gets a 429 does not hold up the others.
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
  const backOff = backOffMs(failures - 1, random);
  const wait = failure.kind === 'status' ? (failure.retryAfterMs ?? backOff) : backOff;
  return wait <= leftMs ? wait : undefined;
}

function isRetryable(failure: RequestFailure, { isRead, failures }: Attempt): boolean {
  if (failure.kind === 'status') return isRead && failure.status >= 500;
  if (failure.kind !== 'no response') return false;
  // A timeout is final unless it is the first failure. In a poll, where an attempt may take ten seconds, five timeouts would take all the time.
  if (failure.reason === 'timeout') return isRead && failures < 2;
  return isRead || !mayHaveTakenEffect(failure);
}
