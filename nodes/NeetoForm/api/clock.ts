import { sleep } from 'n8n-workflow';

/** This computer's time: for durations only, never to place a submission. */
export interface Clock {
  /** ms since 1970 */
  now: () => number;
  /** Waits so many ms. */
  sleep: (ms: number) => Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), sleep };
