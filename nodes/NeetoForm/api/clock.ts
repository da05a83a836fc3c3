import { sleep, UnexpectedError } from 'n8n-workflow';

/** The clock of this computer, for waits and deadlines. Creation times are compared with the service's clock (`serverTime`) instead. */
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

/**
 * For each combined signal, the signals that it was made from. The map keeps them in memory as long as the combined signal lives. Otherwise,
 * Node.js 20 removes the signal of a timeout from memory if nothing else refers to it, and the combined signal never aborts.
 */
const SOURCES = new WeakMap<AbortSignal, AbortSignal[]>();

/** Combines signals, of which some may be undefined. @returns a signal that aborts when the first of them does */
export function anySignal(...signals: Array<AbortSignal | undefined>): AbortSignal {
  const sources = signals.filter((signal) => signal !== undefined);
  const any = AbortSignal.any(sources);
  SOURCES.set(any, sources);
  return any;
}

/** Waits for `ms` milliseconds, or until the signal aborts if that is sooner. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await unlessAborted(clock.sleep(ms), signal).catch(() => undefined);
}

/**
 * Waits for work, and stops waiting when a signal aborts. The work itself may go on, because some functions of n8n do not watch the signal.
 *
 * @throws what the work throws; UnexpectedError when the signal aborts first, or has aborted before
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const stop = () => reject(new UnexpectedError('It was aborted'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
