import { isRateLimit, type RateLimit, type RequestFailure } from './failure';

/** Requests of one execution, or of one poll, that may be in flight at once: what browsers allow per host. */
export const MAX_IN_FLIGHT = 6;

/** ms of a pause that the service did not name: the first one, and the longest. It doubles from refusal to refusal. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 32_000;

/** A time in which no request is sent. */
export class Pause {
  /** ms on the clock. */
  endsAt = -Infinity;

  private ms = 0;

  private readonly maxMs: number;

  /** @param maxMs that it lasts, whatever is asked for */
  constructor(maxMs = Infinity) {
    this.maxMs = maxMs;
  }

  /** ms until it is over, or 0. A clock that was set back makes it last twice as long at most, and brings none back. */
  remainingMs(now: number): number {
    const remaining = this.endsAt - now;
    if (remaining <= 0) this.ms = 0;
    return remaining > 0 && remaining < 2 * this.ms ? remaining : 0;
  }

  /** Begins anew for so many ms, unless it lasts longer already. */
  extend(now: number, ms: number): void {
    const lasting = Math.min(ms, this.maxMs);
    if (lasting <= this.remainingMs(now)) return;
    this.endsAt = now + lasting;
    this.ms = lasting;
  }
}

/**
 * Decides when the requests of one execution or poll are sent: six at once, first in, first out. After a 429, it is one at a time,
 * and all of them wait until the pause is over.
 */
export class RequestLimiter {
  /** ms of all pauses since the service last answered with anything but a 429, the present one included. */
  pausedMs = 0;

  /** What the service asked for by Retry-After. */
  private readonly asked: Pause;

  /** Where it asked for nothing, or for too little. It says nothing about the requests of others. */
  private readonly guessed = new Pause();

  /** How many may be in flight at once: one, for good, after a 429. */
  private limit: number;

  private running = 0;

  private readonly waiting: Array<() => void> = [];

  /** The last 429. */
  private refusal: RateLimit = { kind: 'status', status: 429 };

  /** How many pauses in a row ended with another 429. */
  private refusals = 0;

  /** @param asked shared by all that must wait when the service asks one of them to. Default: a pause of its own */
  constructor(asked = new Pause(), limit = MAX_IN_FLIGHT) {
    this.asked = asked;
    this.limit = limit;
  }

  /** Runs a task in a free slot. A refused request waits behind the others: one that is always refused holds up none of them. */
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

  /** ms until requests may be sent again, or 0. */
  pauseMs(now: number): number {
    return Math.max(this.asked.remainingMs(now), this.guessed.remainingMs(now));
  }

  /** The last 429, for a request that does not wait until the pause is over; undefined when it is. */
  refusalAt(now: number): RateLimit | undefined {
    if (this.pauseMs(now) === 0) return undefined;
    return { ...this.refusal, retryAfterMs: this.asked.remainingMs(now) || undefined };
  }

  /** Notes how the service took a request. @param random 0 up to 1: spreads the pauses of clients that were refused together */
  note(failure: RequestFailure | undefined, sentAt: number, now: number, random: number): void {
    if (isRateLimit(failure)) {
      // Those that were in flight together with the refused one say nothing about the pause.
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
