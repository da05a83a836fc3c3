import type { RequestFailure } from './failure';

/** Requests of one execution of a node that may be under way at once, however many items it has. */
export const MAX_IN_FLIGHT = 4;

/** Holds back work beyond a number of tasks at once; the number can only go down. */
export class ConcurrencyLimiter {
  private allowed = MAX_IN_FLIGHT;

  private running = 0;

  private readonly waiting: Array<() => void> = [];

  /** Runs a task as soon as there is room; gives what it gives, throws what it throws. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    while (this.running >= this.allowed) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.running++;
    try {
      return await task();
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  /** From now on one task at a time, if the fault says that it is too much. */
  noteFailure(fault: RequestFailure): void {
    if (fault.kind === 'status' && fault.status === 429) this.allowed = 1;
  }
}
