import { sleep } from 'n8n-workflow';

/** This computer's time: for durations only, never to place a submission. */
export interface Clock {
  /** ms since 1970 */
  now: () => number;
  /** Waits so many ms. */
  sleep: (ms: number) => Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), sleep };

/** Waits so many ms, or until the signal says stop. */
export async function sleepUnlessAborted(
  { sleep: wait }: Clock,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) {
    await wait(ms);
    return;
  }
  for (let left = ms; left > 0 && !signal.aborted; left -= 100) {
    await wait(Math.min(left, 100));
  }
}
