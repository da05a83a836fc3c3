import * as fc from 'fast-check';
import { createClock, startEmulator, type Emulator } from '../../../emulator/index.ts';
import { clearLog } from '../../support/engine';
import { START } from '../world';
import { runSchedule, type RunOptions } from './run';
import { schedules } from './schedule';

const text = (name: string) => process.env[name] ?? '';

/** How many schedules a run of the tests lives through in all, and from which seed; `npm run simulate` takes others. */
export const RUNS = Number(text('SIMULATION_RUNS') || 1_000);
export const SEED = Number(text('SIMULATION_SEED') || 20_261_120);

/** ms that one schedule may take on a busy machine; most take a twentieth of it. */
const EACH_MS = 1_000;

/** Lives through schedules, and shrinks one that breaks a promise to the least that breaks it. */
export async function simulate(numRuns: number, seed: number, options: RunOptions = {}): Promise<void> {
  // Waits are spread at random; a schedule must run the same way each time.
  const { random } = Math;
  Math.random = () => 0.5;
  const services = new Services(options.transport ?? 'inject');
  try {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        clearLog();
        await runSchedule(schedule, { ...options, emulator: await services.next() });
      }),
      { numRuns, seed, endOnFailure: false, asyncReporter: report },
    );
  } finally {
    Math.random = random;
    await services.close();
  }
}

/** Starting a service takes as long as a schedule: several share one, each with a form of its own. */
class Services {
  private emulator: Emulator | undefined;
  private uses = 0;
  private readonly isListening: boolean;

  constructor(transport: 'http' | 'inject') {
    this.isListening = transport === 'http';
  }

  async next(): Promise<Emulator> {
    if (this.uses++ % 40 === 0) await this.close();
    this.emulator ??= await startEmulator({ clock: createClock(START), listen: this.isListening, recordBodies: false });
    return this.emulator;
  }

  async close(): Promise<void> {
    await this.emulator?.close();
    this.emulator = undefined;
  }
}

/** ms to allow for so many schedules. */
export function timeFor(numRuns: number): number {
  return 120_000 + numRuns * EACH_MS;
}

async function report<T>(details: fc.RunDetails<T>): Promise<void> {
  if (!details.failed) return;
  const { seed, counterexamplePath, counterexample, numRuns, numShrinks, errorInstance } = details;
  const reason =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  throw new Error(
    `After ${numRuns} schedules (seed ${seed}, path ${counterexamplePath ?? '-'}, shrunk ${numShrinks} times):\n${JSON.stringify(counterexample, undefined, 1)}\n${reason}`,
  );
}
