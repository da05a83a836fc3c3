import * as fc from 'fast-check';
import { startEmulator } from '../../../emulator/index.ts';
import { clearLog } from '../../support/engine';
import { START } from '../harness';
import { createVirtualClock } from '../virtualClock';
import { runSchedule } from './run';
import { schedules } from './schedule';

const text = (name: string) => process.env[name] ?? '';

/** How many schedules the tests run, and from which seed; `npm run simulate` runs more. */
export const RUNS = Number(text('SIMULATION_RUNS') || 1_000);
export const SEED = Number(text('SIMULATION_SEED') || 20_261_121);

/** Whether a schedule that breaks a promise is made as small as possible. Mutation testing only asks whether there is one. */
const SHRINKS = text('SIMULATION_SHRINKS') !== 'false';

/** Runs random schedules, and shrinks one that breaks a promise to the smallest that breaks it. */
export async function simulate(numRuns: number, seed: number, transport: 'http' | 'inject'): Promise<void> {
  // Waits are spread at random; a schedule must run the same way each time.
  const { random } = Math;
  Math.random = () => 0.5;
  // Starting a service takes as long as a schedule: all share one, each with forms of its own.
  const clock = createVirtualClock(START);
  const emulator = await startEmulator({ clock, listen: transport === 'http', recordBodies: false });
  try {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        clearLog();
        await runSchedule(schedule, { transport, emulator, clock });
      }),
      { numRuns, seed, endOnFailure: !SHRINKS, includeErrorInReport: true },
    );
  } finally {
    Math.random = random;
    await emulator.close();
  }
}
