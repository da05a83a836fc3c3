import type { RequestFailure } from './failure';

/** Requests of one execution, or of one poll, that may be in flight at once: what browsers allow per host. */
export const MAX_IN_FLIGHT = 6;

/** Limits how many tasks run at once, first in, first out. The limit can only go down. */
export class ConcurrencyLimiter {
  private limit = MAX_IN_FLIGHT;

  private running = 0;

  private readonly waiting: Array<() => void> = [];

  /** Runs a task when there is a free slot. Returns what it returns, throws what it throws. */
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

  /** After a failure with status 429: from now on one task at a time. */
  noteFailure(failure: RequestFailure): void {
    if (failure.kind === 'status' && failure.status === 429) this.limit = 1;
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
