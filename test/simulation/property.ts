import * as fc from 'fast-check';
import { clearLog } from '../support/engine';
import { DAY } from '../trigger/outcome';
import { schedules } from './steps';
import { World } from './world';

/**
 * Runs random schedules, in a process of their own, and returns the percentage of submissions of which it is open whether they are owed.
 * @throws Error with the smallest schedule that breaks a promise
 */
export async function simulate(runs: number, seed: number): Promise<number> {
  // Waits are spread at random. Without this, a schedule would not run the same way each time.
  Math.random = () => 0.5;
  // Otherwise, most of the time would go into stacks of errors that nobody reads.
  Error.stackTraceLimit = 0;
  let [start, rows, open] = [Date.UTC(2026, 2, 1, 12), 0, 0];
  const property = fc.asyncProperty(schedules, async (schedule) => {
    clearLog();
    // The process keeps pauses after a 429. Those of the schedule before are over 60 days later.
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
