/** The property that every schedule must have: each submission is delivered once. */

import * as fc from 'fast-check';
import { clearLog } from '../support/engine';
import { schedules } from './steps';
import { World } from './world';

/** ms between schedules: what the process remembers of one is over when the next begins. */
const APART = 60 * 24 * 3_600_000;

/** Schedules, the submissions that their triggers were shown, and of how many it is open whether they are owed. */
export interface Tally {
  runs: number;
  rows: number;
  open: number;
}

/** Runs random schedules, in a process of their own. @throws Error with the smallest schedule that breaks a promise */
export async function simulate(runs: number, seed: number): Promise<Tally> {
  // Waits are spread at random; a schedule must run the same way each time.
  Math.random = () => 0.5;
  // Most of the time would go into the stacks of errors that nobody reads.
  Error.stackTraceLimit = 0;
  const tally = { runs, rows: 0, open: 0 };
  let start = Date.UTC(2026, 2, 1, 12);
  const property = fc.asyncProperty(schedules, async (schedule) => {
    clearLog();
    const world = new World(schedule.setting, (start += APART));
    await world.run(schedule);
    for (const { ledger } of world.triggers) {
      tally.rows += ledger.tally.rows;
      tally.open += ledger.tally.open;
    }
  });
  await fc.assert(property, { numRuns: runs, seed });
  return tally;
}
