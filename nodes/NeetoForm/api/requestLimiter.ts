import { isRateLimit, type RateLimit, type RequestFailure } from './failure';

/** Requests of one execution, or of one poll, that may be in flight at once: what browsers allow per host. */
export const MAX_IN_FLIGHT = 6;

/** ms of a pause that the service did not name: the first one, and the longest. It doubles from refusal to refusal. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 32_000;

/**
 * Decides when the requests of one execution or poll are sent: six at once, first in, first out. After a 429, it is one at a time,
 * and all of them wait until the same pause is over. What other polls of a process wait for is in polling/pause.ts.
 */
export class RequestLimiter {
  /** ms of all pauses since the service last answered with anything but a 429, the present one included. */
  pausedMs = 0;

  /** The limit can only go down. */
  private limit = MAX_IN_FLIGHT;

  private running = 0;

  private readonly waiting: Array<() => void> = [];

  /** The last 429. */
  private refusal: RateLimit = { kind: 'status', status: 429 };

  /** ms on the clock. */
  private pauseEnds = -Infinity;

  /** How many pauses in a row ended with another 429. */
  private refusals = 0;

  /**
   * Runs a task when there is a free slot.
   *
   * @param isNext whether it goes before those that wait: a request that was refused is the one that tries whether the pause was enough
   * @returns what the task returns; throws what it throws
   */
  async run<T>(task: () => Promise<T>, isNext = false): Promise<T> {
    await new Promise<void>((resolve) => {
      if (isNext) this.waiting.unshift(resolve);
      else this.waiting.push(resolve);
      this.startNext();
    });
    try {
      return await task();
    } finally {
      this.running--;
      this.startNext();
    }
  }

  /** @returns ms until requests may be sent again; 0 when they may @param now ms on the clock */
  pauseMs(now: number): number {
    return Math.max(0, this.pauseEnds - now);
  }

  /** The last 429, for a request that does not wait until the pause is over. @param now ms on the clock */
  refusalAt(now: number): RateLimit {
    const { retryAfterMs } = this.refusal;
    return { ...this.refusal, retryAfterMs: retryAfterMs && this.pauseMs(now) };
  }

  /**
   * Notes how the service took a request.
   *
   * @param failure undefined when it succeeded
   * @param sentAt ms on the clock
   * @param now ms on the clock
   * @param random 0 up to 1: spreads the pauses of clients that were refused together
   */
  note(failure: RequestFailure | undefined, sentAt: number, now: number, random: number): void {
    if (isRateLimit(failure)) {
      // Those that were in flight together with the refused one say nothing about the pause.
      if (sentAt >= this.pauseEnds) this.refusals++;
      this.refusal = failure;
      this.goOneAtATime();
      const pausedUntil = Math.max(this.pauseEnds, now);
      this.pauseEnds = Math.max(pausedUntil, now + this.pauseAfter(failure.retryAfterMs, random));
      this.pausedMs += this.pauseEnds - pausedUntil;
    } else if (failure?.kind !== 'no response') {
      this.refusals = 0;
      this.pausedMs = 0;
    }
  }

  /** Lowers the limit for good. */
  goOneAtATime(): void {
    this.limit = 1;
  }

  private pauseAfter(retryAfterMs: number | undefined, random: number): number {
    const growing = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.refusals - 1)) * (0.5 + random / 2);
    if (retryAfterMs === undefined) return growing;
    // What the service asked for was not enough.
    return this.refusals > 1 ? Math.max(retryAfterMs, growing) : retryAfterMs;
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
