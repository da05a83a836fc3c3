import { isRateLimit, type RateLimit, type RequestFailure } from './failure';

/** How many requests of one execution, or of one poll, may be in flight at once: as many as browsers send to one host. */
export const MAX_IN_FLIGHT = 6;

/**
 * ms of the first pause after a 429 without `Retry-After`. After each further 429 the pause is twice as long, up to the second value. Each is
 * shortened at random, by half at most.
 */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 32_000;

/** A time in which no request is sent. */
export class Pause {
  /** The time on the clock, in ms, at which the pause ends. */
  endsAt = -Infinity;

  /** The length of the pause in ms, counted from when it was last prolonged. 0 when it is over. */
  private ms = 0;

  private readonly maxMs: number;

  /** @param maxMs the longest that the pause lasts, even if the service asks for more. Default: no bound */
  constructor(maxMs = Infinity) {
    this.maxMs = maxMs;
  }

  /**
   * Milliseconds until the pause is over, or 0. A pause that was once found to be over stays over.
   *
   * If the computer's clock is set back by an hour while a pause lasts, `endsAt` is an hour too late. Therefore a pause that seems to have
   * twice its length left, or more, is over, too.
   */
  remainingMs(now: number): number {
    const remaining = this.endsAt - now;
    if (remaining <= 0 || remaining >= 2 * this.ms) this.ms = 0;
    return this.ms === 0 ? 0 : remaining;
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
 * Decides when the requests of one execution or poll are sent: at most six at once, in the order in which they came. After a 429 it lets
 * them through one at a time, and knows how long the pause lasts. `sendWithRetries` waits for the end of the pause.
 */
export class RequestLimiter {
  /**
   * ms: the pauses of the present series of 429s together. Each is counted in full as soon as it begins, so some of the time may still be to come.
   * Limiters may share a pause (see the constructor): it is counted by the one that began it. `note` tells what ends a series.
   */
  pausedMs = 0;

  /** The pause that the service asked for by `Retry-After`. */
  private readonly asked: Pause;

  /**
   * The pause that was guessed because the service asked for none, or for one that was too short. Other limiters do not share it: a
   * guess of one execution must not stop all triggers.
   */
  private readonly guessed = new Pause();

  /** How many requests may be in flight at once. After a 429 this is 1, and stays 1. */
  private limit: number;

  private running = 0;

  private readonly waiting: Array<() => void> = [];

  /** The last response with 429. The initial value is used only when another limiter, which shares `asked`, got the 429. */
  private lastRateLimit: RateLimit = { kind: 'status', status: 429 };

  /** The length of the present series of 429s. If requests that were in flight together were all answered with 429, these count as one. */
  private rateLimits = 0;

  /**
   * @param asked the pause that the service asks for. Limiters with the same object wait together: a 429 with `Retry-After` for one stops all.
   * Default: a pause of its own
   * @param limit how many requests may be in flight at once
   */
  constructor(asked = new Pause(), limit = MAX_IN_FLIGHT) {
    this.asked = asked;
    this.limit = limit;
  }

  /**
   * Runs a task as soon as a slot is free, in the order of the calls. A request that is sent again after a 429 calls this again, and so
   * goes to the back of the queue. So a request that is always answered with 429 does not hold up the others.
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

  /**
   * The failure of a request that does not wait for the end of the pause: the last 429, with the time that is left of the pause for which
   * the service asked. Undefined when there is no pause.
   */
  rateLimitAt(now: number): RateLimit | undefined {
    if (this.pauseMs(now) === 0) return undefined;
    return { ...this.lastRateLimit, retryAfterMs: this.asked.remainingMs(now) || undefined };
  }

  /**
   * Notes how an attempt ended. A 429 begins or prolongs the pause. When no response came (`no response`), that says nothing about the rate. After
   * any other end, even if the request was not sent, the series of 429s is over.
   *
   * @param failure undefined for a success, and for an end that is no failure of the request: a file that is too large, for example
   * @param sentAt when the request was sent, ms on the clock
   * @param random 0 up to 1. It makes pauses different, so that clients which got a 429 together do not come back together
   */
  note(failure: RequestFailure | undefined, sentAt: number, now: number, random: number): void {
    if (isRateLimit(failure)) {
      // If the request was sent before the pause, its 429 does not say that the pause was too short. (None is sent during the pause, so the end of
      // the pause can be compared.)
      if (sentAt >= Math.max(this.asked.endsAt, this.guessed.endsAt)) this.rateLimits++;
      this.lastRateLimit = failure;
      this.limit = 1;
      const before = this.pauseMs(now);
      const { retryAfterMs } = failure;
      this.asked.extend(now, retryAfterMs ?? 0);
      const guess = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.rateLimits - 1)) * (0.5 + random / 2);
      if (retryAfterMs === undefined || this.rateLimits > 1) this.guessed.extend(now, guess);
      this.pausedMs += this.pauseMs(now) - before;
    } else if (failure?.kind !== 'no response') {
      this.rateLimits = 0;
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
