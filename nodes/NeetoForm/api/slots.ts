/** How many requests of one execution, or of one poll, may be in flight at once: as many as browsers send to one host. */
export const MAX_IN_FLIGHT = 6;

/** Runs tasks in the order of the calls, at most `limit` of them at once. */
export class Slots {
  /** When it becomes smaller, no task begins until fewer are running. */
  limit: number;
  private running = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(limit = MAX_IN_FLIGHT) {
    this.limit = limit;
  }

  /** Runs a task as soon as a slot is free. @throws what the task throws */
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

  private startNext(): void {
    while (this.running < this.limit) {
      const start = this.waiting.shift();
      if (start === undefined) return;
      this.running++;
      start();
    }
  }
}
