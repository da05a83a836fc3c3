import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../nodes/NeetoForm/api/clock';

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
