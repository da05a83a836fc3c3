import { isRateLimit, type RateLimit, type RequestFailure } from './failure';

/** How many requests of one execution, or of one poll, may be in flight at once: as many as browsers send to one host. */
export const MAX_IN_FLIGHT = 6;

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 32_000;

/** ms to wait before a request is sent again. @param random from 0 (half of the wait) to 1 (all of it), so that clients spread out */
export function backOffMs(doublings: number, random: number): number {
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** doublings) * (0.5 + random / 2);
}

/** A time in which no request is sent. */
export class Pause {
  /** The time on the clock, in ms, at which the pause ends. */
  endsAt = -Infinity;

  /** The length of the pause in ms, counted from when it was last prolonged. 0 when it is over. */
  private ms = 0;

  /** The longest pause, even if the service asks for more. */
  private readonly maxMs: number;

  constructor(maxMs = Infinity) {
    this.maxMs = maxMs;
  }

  remainingMs(now: number): number {
    const remaining = this.endsAt - now;
    // If far more time is left than the pause is long, the computer's clock was set back. Then the pause counts as over, for good.
    if (remaining <= 0 || remaining >= 2 * this.ms) this.ms = 0;
    return this.ms === 0 ? 0 : remaining;
  }

  /** Lets the pause last `ms` milliseconds from now on, unless it lasts longer anyway. */
  extend(now: number, ms: number): void {
    const lasting = Math.min(ms, this.maxMs);
    if (lasting <= this.remainingMs(now)) return;
    this.endsAt = now + lasting;
    this.ms = lasting;
  }
}

/**
 * Runs the requests of one execution or poll in the order in which they came, at most six at once. After a 429, it runs one at a time, and
 * knows how long to pause. `sendWithRetries` waits for the end of the pause.
 */
export class RequestLimiter {
  /** ms: the sum of the pauses in the present series of 429s. The whole length of a pause is added when it begins. */
  seriesPauseMs = 0;

  /** The pause that the service asked for by `Retry-After`. Limiters that share this object pause together. */
  private readonly asked: Pause;

  /** A pause of our own choice: the service asked for none, or for one that was not long enough. Not shared: a guess must not stop all triggers. */
  private readonly guessed = new Pause();

  /** How many tasks may run at once. After a 429, this stays 1. */
  private limit: number;
  private running = 0;
  private readonly waiting: Array<() => void> = [];

  /** The last 429. Until there is one, the initial value stands for a 429 of another limiter that shares `asked`, and has begun its pause. */
  private lastRateLimit: RateLimit = { kind: 'status', status: 429 };

  /** How many 429s the present series has. */
  private rateLimits = 0;

  constructor(asked = new Pause(), limit = MAX_IN_FLIGHT) {
    this.asked = asked;
    this.limit = limit;
  }

  /** Runs a task as soon as a slot is free, in the order of the calls. @throws what the task throws */
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

  /** The failure of a request that is given up because of the pause: the last 429. Undefined when there is no pause. */
  rateLimitAt(now: number): RateLimit | undefined {
    if (this.pauseMs(now) === 0) return undefined;
    return { ...this.lastRateLimit, retryAfterMs: this.asked.remainingMs(now) || undefined };
  }

  /** Notes how an attempt ended. A 429 begins or prolongs the pause. @param sentAt ms on the clock, like `now` @param random see `backOffMs` */
  note(failure: RequestFailure | undefined, sentAt: number, now: number, random: number): void {
    if (isRateLimit(failure)) {
      // A 429 begins a series. It adds to one if its request was sent after all pauses so far: those of requests in flight together count as one.
      if (this.rateLimits === 0 || sentAt >= Math.max(this.asked.endsAt, this.guessed.endsAt)) this.rateLimits++;
      this.lastRateLimit = failure;
      this.limit = 1;
      const before = this.pauseMs(now);
      const { retryAfterMs } = failure;
      this.asked.extend(now, retryAfterMs ?? 0);
      const guess = backOffMs(this.rateLimits - 1, random);
      if (retryAfterMs === undefined || this.rateLimits > 1) this.guessed.extend(now, guess);
      this.seriesPauseMs += this.pauseMs(now) - before;
    } else if (failure === undefined || failure.kind === 'status' || failure.kind === 'unreadable') {
      // An answer other than a 429 ends the series. (Undefined is a success, or another final end, such as a file that is too large.)
      this.rateLimits = 0;
      this.seriesPauseMs = 0;
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
