/** The property that every schedule must have: each submission is delivered once. */

import * as fc from 'fast-check';
import { clearLog } from '../support/engine';
import { DAY } from '../trigger/outcome';
import { schedules } from './steps';
import { World } from './world';

/**
 * Runs random schedules, in a process of their own.
 * @returns the percentage of the submissions of which the interface leaves open whether they are owed
 * @throws Error with the smallest schedule that breaks a promise
 */
export async function simulate(runs: number, seed: number): Promise<number> {
  // Waits are spread at random. Without this, a schedule would not run the same way each time.
  Math.random = () => 0.5;
  // Without this, most of the time would go into stacks of errors that nobody reads.
  Error.stackTraceLimit = 0;
  let [start, rows, open] = [Date.UTC(2026, 2, 1, 12), 0, 0];
  const property = fc.asyncProperty(schedules, async (schedule) => {
    clearLog();
    // Pauses after a 429 are kept by the process. Each schedule begins 60 days later than the one before, whose pauses are over then.
    const world = new World(schedule.setting, (start += 60 * DAY));
    await world.run(schedule);
    for (const { ledger } of world.triggers) {
      rows += ledger.tally.rows;
      open += ledger.tally.open;
    }
  });
  await fc.assert(property, { numRuns: runs, seed });
  return (100 * open) / rows;
}
