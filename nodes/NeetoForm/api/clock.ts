import { sleep, UnexpectedError } from 'n8n-workflow';

/** The clock of this computer, for waits and deadlines. Creation times of rows are compared with the service's clock instead. */
export interface Clock {
  /** ms since 1970 */
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Returns a signal that aborts after so many ms. If no time is left (0 or less), it has aborted already, so that no request begins. */
  timeout: (ms: number) => AbortSignal;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep,
  timeout: (ms) => (ms > 0 ? AbortSignal.timeout(Math.ceil(ms)) : AbortSignal.abort()),
};

/** Keeps the sources of each combined signal in memory. Node.js 20 would free the signal of a timeout, and the combined one would never abort. */
const SOURCES = new WeakMap<AbortSignal, AbortSignal[]>();

/** @returns a signal that aborts when the first of the signals does */
export function anySignal(...signals: Array<AbortSignal | undefined>): AbortSignal {
  const sources = signals.filter((signal) => signal !== undefined);
  const any = AbortSignal.any(sources);
  SOURCES.set(any, sources);
  return any;
}

/** Waits for `ms` milliseconds, or until the signal aborts. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await unlessAborted(clock.sleep(ms), signal).catch(() => undefined);
}

/** Waits for work until the signal aborts. @throws what the work throws; UnexpectedError when the signal aborts */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Some functions of n8n do not watch the signal. Their work goes on, but nobody waits for it.
  return await new Promise<T>((resolve, reject) => {
    const stop = () => reject(new UnexpectedError('It was aborted'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
