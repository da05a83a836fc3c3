import type { Clock } from '../api/clock';

/** ms after which a server that sends nothing has stalled. */
export const STALL_MS = 10_000;

/** Watches a transfer whose server may stall. */
export interface StallWatch {
  /** Aborts when the server has sent nothing for `STALL_MS`. */
  signal: AbortSignal;
  /** To be called whenever the server has sent something. */
  noteProgress: () => void;
}

export function watchForStall(clock: Clock): StallWatch {
  const controller = new AbortController();
  let latest = clock.now();
  const wait = (ms: number): void => {
    clock.timeout(ms).addEventListener('abort', () => {
      const remaining = latest + STALL_MS - clock.now();
      if (remaining > 0) wait(Math.ceil(remaining));
      else controller.abort();
    });
  };
  wait(STALL_MS);
  return {
    signal: controller.signal,
    noteProgress: () => {
      latest = clock.now();
    },
  };
}
