import type { Clock } from '../api/clock';

/** ms after which a server that sends nothing has stalled. */
export const STALL_MS = 10_000;

/** Aborts a transfer when its server sends nothing for `STALL_MS`. */
export class StallWatch {
  private readonly controller = new AbortController();

  private readonly clock: Clock;

  private latest: number;

  private isStopped = false;

  constructor(clock: Clock) {
    this.clock = clock;
    this.latest = clock.now();
    this.wait(STALL_MS);
  }

  /** Aborts when the server has stalled. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** To be called whenever the server has sent something. */
  noteProgress(): void {
    this.latest = this.clock.now();
  }

  /** Nothing more is expected of the server. */
  stop(): void {
    this.isStopped = true;
  }

  private wait(ms: number): void {
    this.clock.timeout(ms).addEventListener('abort', () => {
      if (this.isStopped) return;
      const remaining = this.latest + STALL_MS - this.clock.now();
      if (remaining > 0) this.wait(Math.ceil(remaining));
      else this.controller.abort();
    });
  }
}
