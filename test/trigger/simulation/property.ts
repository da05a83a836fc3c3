import * as fc from 'fast-check';
import { startEmulator, type Emulator } from '../../../emulator/index.ts';
import { clearLog } from '../../support/engine';
import { START } from '../harness';
import { createVirtualClock, type VirtualClock } from '../virtualClock';
import { runSchedule, type RunOptions } from './run';
import { schedules } from './schedule';

const text = (name: string) => process.env[name] ?? '';

/** How many schedules the tests run, and from which seed; `npm run simulate` runs more. */
export const RUNS = Number(text('SIMULATION_RUNS') || 1_000);
export const SEED = Number(text('SIMULATION_SEED') || 20_261_121);

/** Whether a schedule that breaks a promise is made as small as possible. Mutation testing only asks whether there is one. */
const SHRINKS = text('SIMULATION_SHRINKS') !== 'false';

/** ms that one schedule may take on a busy machine; most take a tenth of it. */
const EACH_MS = 1_000;

/** Runs random schedules, and shrinks one that breaks a promise to the smallest that breaks it. */
export async function simulate(numRuns: number, seed: number, options: RunOptions = {}): Promise<void> {
  // Waits are spread at random; a schedule must run the same way each time.
  const { random } = Math;
  Math.random = () => 0.5;
  const services = new SharedService(options.transport ?? 'inject');
  try {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        clearLog();
        await runSchedule(schedule, { ...options, service: await services.next() });
      }),
      { numRuns, seed, endOnFailure: !SHRINKS, includeErrorInReport: true },
    );
  } finally {
    Math.random = random;
    await services.close();
  }
}

/** Starting a service takes as long as a schedule: several share one, each with forms of its own. */
export class SharedService {
  private service: { emulator: Emulator; clock: VirtualClock } | undefined;
  private uses = 0;
  private readonly isListening: boolean;

  constructor(transport: 'http' | 'inject') {
    this.isListening = transport === 'http';
  }

  async next(): Promise<{ emulator: Emulator; clock: VirtualClock }> {
    if (this.uses++ % 40 === 0) await this.close();
    if (this.service === undefined) {
      const clock = createVirtualClock(START);
      const emulator = await startEmulator({ clock, listen: this.isListening, recordBodies: false });
      this.service = { emulator, clock };
    }
    return this.service;
  }

  async close(): Promise<void> {
    await this.service?.emulator.close();
    this.service = undefined;
  }
}

/** ms to allow for so many schedules. */
export function timeFor(numRuns: number): number {
  return 120_000 + numRuns * EACH_MS;
}
