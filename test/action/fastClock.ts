import { systemClock } from '../../nodes/NeetoForm/api/clock';

/**
 * Lets the node's clock run faster in every test of a file, or of a `describe` block: a wait, a timeout or a deadline takes its
 * time divided by the factor.
 *
 * @returns how long the node has slept in this test, ms on its clock
 */
export function useFastClock(factor: number): { readonly slept: number } {
  const real = { ...systemClock };
  let slept = 0;
  beforeEach(() => {
    const start = real.now();
    slept = 0;
    Object.assign(systemClock, {
      now: () => start + (real.now() - start) * factor,
      sleep: async (ms: number) => {
        slept += ms;
        await real.sleep(ms / factor);
      },
      timeout: (ms: number) => real.timeout(ms / factor),
    } satisfies typeof systemClock);
  });
  afterEach(() => Object.assign(systemClock, real));
  return {
    get slept() {
      return slept;
    },
  };
}
