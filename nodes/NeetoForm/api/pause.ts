import type { RateLimit } from './failure';

/** The longest pause, even if the service asks for more. */
const MAX_PAUSE_MS = 60 * 60_000;

export interface PresentPause {
  /** The time on the clock, in ms, of the 429 that began or last prolonged the pause. */
  beganAt: number;
  endsAt: number;
  /**
   * The refusal with that 429. A request that does not wait for the end of the pause fails with it, too. The `retryAfterMs` that `at` returns is the
   * time that is left, and undefined when none is.
   */
  refusal: RateLimit;
}

/** A time in which nothing is sent, because the service answered 429. Those who share this object pause together. */
export class Pause {
  /** The pause that began last. It may be over. */
  private last?: PresentPause;

  /** The pause at a time. Undefined when there is none. */
  at(now: number): PresentPause | undefined {
    const { last } = this;
    // A time before it began shows that the computer's clock was set back. Then the pause counts as over, for good.
    if (last === undefined || now < last.beganAt || now >= last.endsAt) {
      this.last = undefined;
      return undefined;
    }
    const leftMs = (last.refusal.retryAfterMs ?? 0) - (now - last.beganAt);
    return { ...last, refusal: { ...last.refusal, retryAfterMs: leftMs > 0 ? leftMs : undefined } };
  }

  /** Pauses from a 429 on, for as long as its Retry-After or `backOffMs`, whichever is longer. A pause that ends later stays as it is. */
  begin(refusal: RateLimit, now: number, backOffMs: number): void {
    const endsAt = now + Math.min(MAX_PAUSE_MS, Math.max(refusal.retryAfterMs ?? 0, backOffMs));
    const present = this.at(now);
    if (present === undefined || endsAt > present.endsAt) this.last = { beganAt: now, endsAt, refusal };
  }
}
