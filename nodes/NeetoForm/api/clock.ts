import { sleep, UnexpectedError } from 'n8n-workflow';

/** The local clock: for durations, and to check the service's, by which submissions are placed in time. */
export interface Clock {
  /** ms since 1970 */
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  timeout: (ms: number) => AbortSignal;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep,
  timeout: (ms) => AbortSignal.timeout(Math.max(0, Math.ceil(ms))),
};

/** Node.js 20 collects a timeout that only a combined signal refers to, and that one would never abort: this keeps it. */
const SOURCES = new WeakMap<AbortSignal, AbortSignal[]>();

/** A signal that aborts with the first of these. */
export function anySignal(...signals: Array<AbortSignal | undefined>): AbortSignal {
  const sources = signals.filter((signal) => signal !== undefined);
  const any = AbortSignal.any(sources);
  SOURCES.set(any, sources);
  return any;
}

/** Waits for a number of ms, or until the signal aborts. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await unlessAborted(clock.sleep(ms), signal).catch(() => undefined);
}

/** Settles when the signal aborts, even if what n8n does for us does not. @throws when it aborts first */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const stop = () => reject(new UnexpectedError('It was aborted'));
    signal.addEventListener('abort', stop);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
