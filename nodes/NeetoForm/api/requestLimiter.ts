import { isRateLimit, type RateLimit, type RequestFailure } from './failure';

/** How many requests of one execution, or of one poll, may be in flight at once: as many as browsers send to one host. */
export const MAX_IN_FLIGHT = 6;

/** ms of the first and of the longest pause after a 429 without `Retry-After`. Each pause that ends with another 429 doubles the next. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 32_000;

/** A time in which no request is sent. */
export class Pause {
  /** The time on the clock, in ms, at which the pause ends. */
  endsAt = -Infinity;

  /** The length of the pause in ms. */
  private ms = 0;

  private readonly maxMs: number;

  /** @param maxMs the longest that the pause lasts, even if the service asks for more. Default: no bound */
  constructor(maxMs = Infinity) {
    this.maxMs = maxMs;
  }

  /**
   * Milliseconds until the pause is over, or 0. If the computer's clock is set back by an hour meanwhile, the pause would seem to last an
   * hour longer: so the pause counts as over when it would last twice its length or more, and a pause that was over stays over.
   */
  remainingMs(now: number): number {
    const remaining = this.endsAt - now;
    if (remaining <= 0) this.ms = 0;
    return remaining > 0 && remaining < 2 * this.ms ? remaining : 0;
  }

  /** Lets the pause last `ms` milliseconds from now on, unless it already lasts longer. */
  extend(now: number, ms: number): void {
    const lasting = Math.min(ms, this.maxMs);
    if (lasting <= this.remainingMs(now)) return;
    this.endsAt = now + lasting;
    this.ms = lasting;
  }
}

/**
 * Decides when the requests of one execution or poll are sent: at most six at once, in the order in which they came. After a 429 they are
 * sent one at a time, and `sendWithRetries` lets all of them wait until the pause is over.
 */
export class RequestLimiter {
  /** The length of all pauses, in ms, since the service last answered with anything but a 429. The pause that lasts now is included. */
  pausedMs = 0;

  /** The pause that the service asked for by `Retry-After`. */
  private readonly asked: Pause;

  /** The pause where the service asked for none, or for one that was too short. It is a guess, so it is never shared. */
  private readonly guessed = new Pause();

  /** How many requests may be in flight at once. After a 429 this is 1, and stays 1. */
  private limit: number;

  private running = 0;

  private readonly waiting: Array<() => void> = [];

  /** The last 429. */
  private refusal: RateLimit = { kind: 'status', status: 429 };

  /** How many 429s came in a row. Those of requests that were in flight together count as one. */
  private refusals = 0;

  /**
   * @param asked the pause that the service asks for. Limiters that are to wait for one another's share it. Default: a pause of its own
   * @param limit how many requests may be in flight at once
   */
  constructor(asked = new Pause(), limit = MAX_IN_FLIGHT) {
    this.asked = asked;
    this.limit = limit;
  }

  /**
   * Runs a task as soon as a slot is free. Tasks that came earlier go first: a request that is refused comes again behind them, so that
   * one which is always refused does not hold up the others.
   *
   * @throws what the task throws
   */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.startNext();
    });
    try {
      return await task();
    } finally {
      this.running--;
      this.startNext();
    }
  }

  /** Milliseconds until requests may be sent again, or 0. */
  pauseMs(now: number): number {
    return Math.max(this.asked.remainingMs(now), this.guessed.remainingMs(now));
  }

  /** The last 429 with the time that is left, for a request that does not wait for the end of the pause; undefined without a pause. */
  refusalAt(now: number): RateLimit | undefined {
    if (this.pauseMs(now) === 0) return undefined;
    return { ...this.refusal, retryAfterMs: this.asked.remainingMs(now) || undefined };
  }

  /**
   * Notes how a request ended: a 429 begins or extends a pause, any other response ends the count of pauses.
   *
   * @param failure undefined for a success
   * @param sentAt when the request was sent, ms on the clock
   * @param random 0 up to 1. It makes pauses different, so that clients that were refused together do not come back together
   */
  note(failure: RequestFailure | undefined, sentAt: number, now: number, random: number): void {
    if (isRateLimit(failure)) {
      // A request that was sent before the pause says nothing about whether the pause was long enough.
      if (sentAt >= Math.max(this.asked.endsAt, this.guessed.endsAt)) this.refusals++;
      this.refusal = failure;
      this.limit = 1;
      const before = this.pauseMs(now);
      const { retryAfterMs } = failure;
      this.asked.extend(now, retryAfterMs ?? 0);
      const guess = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.refusals - 1)) * (0.5 + random / 2);
      if (retryAfterMs === undefined || this.refusals > 1) this.guessed.extend(now, guess);
      this.pausedMs += this.pauseMs(now) - before;
    } else if (failure?.kind !== 'no response') {
      this.refusals = 0;
      this.pausedMs = 0;
    }
  }

  private startNext(): void {
    while (this.running < this.limit) {
      const start = this.waiting.shift();
      if (start === undefined) return;
      this.running++;
      start();
    }
  }
}
