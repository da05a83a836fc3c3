import { sleepUnlessAborted, type Clock } from './clock';
import { isRateLimit, mayHaveTakenEffect, type RequestFailure } from './failure';
import { Pause, type PresentPause } from './pause';
import { Slots } from './slots';

/** After how many failures a request is given up. A response with 429 does not count as a failure. */
const MAX_FAILURES = 5;

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 32_000;

/** What the requests of one execution or poll to one server share. */
export interface Limits {
  /** From the first 429 to the end of the execution or poll, these run one request at a time. */
  readonly slots: Slots;
  /** Polls of several triggers may share it. */
  readonly pause: Pause;
  /** The time on the clock, in ms, since which the server has answered with nothing but 429. Undefined when its last answer was no 429. */
  refusedSince?: number;
}

/** @param pause Default: one that nobody else shares. */
export function newLimits(pause = new Pause()): Limits {
  return { slots: new Slots(), pause };
}

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
  /**
   * In ms. A failed request waits for another attempt only if the wait ends within this time after its first attempt. After a 429, a pause is not
   * waited for if it is longer than this, or if the server had answered nothing but 429 for longer than this when the pause began.
   */
  limitMs: number;
  /** The time on the clock, in ms, from which no attempt begins. A pause that lasts until then is not waited for. Default: never. */
  giveUpAt?: number;
  clock: Clock;
  /** Ends a wait when it aborts. */
  signal: AbortSignal;
  /** Default: limits of its own. */
  limits?: Limits;
}

/**
 * Sends a request until it succeeds or is given up. Each attempt waits for a slot, and then for the end of the pause.
 *
 * @param send makes one attempt. When the signal has aborted, it must return at once
 * @returns the outcome of the last attempt, or the failure that explains why there was no further attempt. `attempts` includes those with a 429
 */
export async function sendWithRetries<T>(
  send: () => Promise<T>,
  policy: RetryPolicy<T>,
): Promise<{ outcome: T | RequestFailure; attempts: number }> {
  const { failureOf, isRead, limitMs, giveUpAt = Infinity, clock, signal, limits = newLimits() } = policy;
  const { slots, pause } = limits;
  let attempts = 0;
  let failures = 0;
  let firstSentAt: number | undefined;
  // If the time is over before the first attempt, the request ends with this timeout.
  let lastFailure: RequestFailure = { kind: 'no response', reason: 'timeout' };
  /** Waits for the end of the pause and makes one attempt. @returns the outcome. It is final unless there is a `failure`: then another may follow */
  const attempt = async (): Promise<{ outcome: T | RequestFailure; failure?: RequestFailure }> => {
    for (;;) {
      const now = clock.now();
      const present = pause.at(now);
      const nextAttemptAt = present?.endsAt ?? now;
      if (nextAttemptAt >= giveUpAt) return { outcome: present?.refusal ?? lastFailure };
      // An aborted request does not wait: the outcome of `send` says why it was aborted.
      if (present === undefined || signal.aborted) break;
      if (isTooLong(present, limits, limitMs)) return { outcome: present.refusal };
      // In short steps: meanwhile, another 429 may prolong the pause, the clock may be set back, and the signal may abort.
      await clock.sleep(Math.min(present.endsAt - now, 100));
    }
    const sentAt = clock.now();
    firstSentAt ??= sentAt;
    attempts++;
    const outcome = await send();
    const failure = failureOf(outcome);
    noteAnswer(limits, failure, sentAt, clock.now());
    return { outcome, failure };
  };
  for (;;) {
    const { outcome, failure } = await slots.run(attempt);
    if (failure === undefined) return { outcome, attempts };
    // The next attempt goes to the back of the queue, so that a request that always gets a 429 does not hold up the others. `isTooLong` ends this.
    if (isRateLimit(failure)) continue;
    lastFailure = failure;
    failures++;
    const now = clock.now();
    const leftMs = Math.min((firstSentAt ?? now) + limitMs, giveUpAt) - now;
    const wait = retryWait(failure, { isRead, failures, leftMs, random: Math.random() });
    if (wait === undefined) return { outcome, attempts };
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/** Whether a pause is not waited for: it is longer than the limit, or when it began, the server had answered nothing but 429 for that long. */
function isTooLong({ beganAt, endsAt }: PresentPause, { refusedSince }: Limits, limitMs: number): boolean {
  // An execution or poll that got no 429 itself waits for the pause of another one, however long that is.
  return refusedSince !== undefined && Math.max(endsAt - beganAt, beganAt - refusedSince) > limitMs;
}

/**
 * Notes how an attempt ended. A 429 begins or prolongs the pause. If the server has answered nothing but 429 for 10 seconds, for example, the pause
 * lasts 5 to 10 seconds from now, or as long as Retry-After says if that is longer.
 */
function noteAnswer(limits: Limits, failure: RequestFailure | undefined, sentAt: number, now: number): void {
  const { slots, pause, refusedSince } = limits;
  if (isRateLimit(failure)) {
    // If the clock was set back, the time of the first 429 may be later than now.
    limits.refusedSince = Math.min(refusedSince ?? now, now);
    slots.limit = 1;
    pause.begin(failure, now, backOffMs(now - limits.refusedSince, Math.random()));
  } else if (refusedSince !== undefined && isAnswer(failure) && sentAt >= refusedSince) {
    // An answer to a request that was under way when another got a 429 does not show that the server answers again.
    limits.refusedSince = undefined;
  }
}

/** Whether an outcome counts as an answer. Undefined is a success, or another final end, such as a file that is too large. */
function isAnswer(failure: RequestFailure | undefined): boolean {
  return failure === undefined || failure.kind === 'status' || failure.kind === 'unreadable';
}

/** Limits a wait to 0.5 to 32 s, and takes half to all of that, so that clients spread out. @param random from 0 (half) to 1 (all) */
function backOffMs(wait: number, random: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, wait)) * (0.5 + random / 2);
}

/** Decides whether a request that failed is sent again. @returns ms to wait before the next attempt; undefined to give up */
export function retryWait(failure: RequestFailure, attempt: Attempt): number | undefined {
  const { failures, leftMs, random } = attempt;
  if (failures >= MAX_FAILURES || !isRetryable(failure, attempt)) return undefined;
  const backOff = backOffMs(FIRST_WAIT_MS * 2 ** (failures - 1), random);
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
