/** The property that every schedule must have: each submission is delivered once, in time, and idle polls cost little. */

import * as fc from 'fast-check';
import { startEmulator, type Emulator } from '../../emulator/index.ts';
import { clearLog } from '../support/engine';
import { DAY, LOOK, MINUTE, START } from '../trigger/harness';
import { createVirtualClock, type VirtualClock } from '../trigger/virtualClock';
import { schedules, type Schedule } from './schedules';
import { check, World, type Trigger } from './world';

const text = (name: string) => process.env[name] ?? '';

/** How many schedules the tests run, and from which seed; `npm run simulate` runs more. */
export const RUNS = Number(text('SIMULATION_RUNS') || 400);
export const SEED = Number(text('SIMULATION_SEED') || 20_261_122);

/** Whether a schedule that breaks a promise is made as small as possible. Mutation testing only asks whether there is one. */
const SHRINKS = text('SIMULATION_SHRINKS') !== 'false';

/** Runs random schedules, and shrinks one that breaks a promise to the smallest that breaks it. */
export async function simulate(numRuns: number, seed: number): Promise<void> {
  // Waits are spread at random; a schedule must run the same way each time.
  const { random } = Math;
  Math.random = () => 0.5;
  // Starting a service takes as long as a schedule: all share one, each with forms of its own.
  const clock = createVirtualClock(START);
  const emulator = await startEmulator({ clock, listen: false, recordBodies: false });
  try {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => await runSchedule(schedule, emulator, clock)),
      { numRuns, seed, endOnFailure: !SHRINKS, includeErrorInReport: true },
    );
  } finally {
    Math.random = random;
    await emulator.close();
  }
}

/** Runs a schedule, then polls a service without faults until everything owed has been emitted. */
async function runSchedule(
  [settings, past, happens]: Schedule,
  emulator: Emulator,
  clock: VirtualClock,
): Promise<void> {
  clearLog();
  const world = World.create(settings, emulator, clock);
  for (const insert of past) insert.happen(world);
  await world.begin();
  await fc.asyncModelRun(() => ({ model: {}, real: world }), happens);
  await finish(world);
}

async function finish(world: World): Promise<void> {
  world.setClock(0);
  world.waitForRateLimit();
  world.disturb();
  const lastVisible = Math.max(0, ...[...world.rows.values()].map(({ since = 0 }) => since));
  while (world.now < lastVisible) {
    world.harness.advance(Math.min(DAY, lastVisible - world.now));
    for (const trigger of world.triggers) await world.pollWell(trigger);
  }
  for (const trigger of world.triggers) {
    const atFirst = trigger.ledger.owed(world.now).length;
    for (let polls = 0; trigger.ledger.owed(world.now).length > 0; polls++) {
      check(polls <= world.cyclePolls + 2 * atFirst, `${atFirst} submissions are not delivered in ${polls} polls`);
      world.harness.advance(MINUTE);
      await world.pollWell(trigger);
    }
  }
  for (const trigger of world.triggers) await checkIdle(world, trigger);
}

/** When all is delivered, polls cost a few requests, and repeat nothing. */
async function checkIdle(world: World, trigger: Trigger): Promise<void> {
  const POLLS = 5;
  world.harness.advance(2 * LOOK);
  // What is left of forms that are archived or hidden is not owed, and comes all the same.
  for (let polls = 0; polls < 200 && (await world.pollWell(trigger)).ids !== null; polls++)
    world.harness.advance(MINUTE);
  let requests = 0;
  for (let poll = 0; poll < POLLS; poll++) {
    world.harness.advance(MINUTE);
    const outcome = await world.pollWell(trigger);
    requests += outcome.requests.length;
  }
  if (!world.isOrdinary) return;
  const forms = world.formsOf(trigger);
  // One look at each window, and for one form nothing else; the list of forms says which others to read.
  const allowed = world.settings.triggerOn === 'one' ? Math.ceil(1.2 * POLLS) : POLLS + 2 * forms.length;
  check(requests <= allowed, `${requests} requests for ${POLLS} idle polls of ${forms.length} forms`);
}
