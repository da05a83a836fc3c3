import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { VirtualTime } from '../support/virtualTime';

/** Lets the node's clock run faster in every test of a file or a `describe` block: a wait takes its time divided by the factor. */
export function useFastClock(factor: number): void {
  const real = { ...systemClock };
  beforeEach(() => {
    const start = real.now();
    Object.assign(systemClock, {
      now: () => start + (real.now() - start) * factor,
      sleep: async (ms: number) => await real.sleep(ms / factor),
      timeout: (ms: number) => real.timeout(ms / factor),
    } satisfies typeof systemClock);
  });
  afterEach(() => Object.assign(systemClock, real));
}

/** Lets the node's clock skip each wait in every test of a file: a wait ends at once, and the clock is later by its time. Timeouts are real. */
export function useSkippedWaits(): void {
  const real = { ...systemClock };
  beforeEach(() => {
    let skipped = 0;
    Object.assign(systemClock, {
      now: () => real.now() + skipped,
      sleep: async (ms: number) => {
        skipped += ms;
        await nextTurn();
      },
    });
  });
  afterEach(() => Object.assign(systemClock, real));
}

/** Lets the node's clock be a virtual one in every test of a file. Requests are real, so it passes 100 ms in about a millisecond. */
export function useVirtualClock() {
  const real = { ...systemClock };
  const time = new VirtualTime(Date.UTC(2026, 1, 10, 9));
  beforeEach(() => Object.assign(systemClock, time.computer));
  afterEach(() => Object.assign(systemClock, real));
  return {
    now: () => time.now,
    /** Lets time pass until the work is done. @returns what the work returns, or the message of what it throws, and how many seconds it took */
    async measure<T>(work: Promise<T>): Promise<{ result?: T; message?: string; seconds: number }> {
      const began = time.now;
      let isDone = false;
      const outcome = work
        .then(
          (result) => ({ result }),
          (error: unknown) => ({ message: error instanceof Error ? error.message : String(error) }),
        )
        .finally(() => (isDone = true));
      const isUnderWay = () => !isDone;
      await wait(1);
      while (isUnderWay()) {
        time.advance(100);
        await wait(1);
      }
      return { ...(await outcome), seconds: (time.now - began) / 1_000 };
    },
  };
}
