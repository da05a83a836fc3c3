import * as fc from 'fast-check';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClock, startEmulator } from '../../emulator/index.ts';
import { clearLog } from '../../test/support/engine';
import { runSchedule } from '../../test/trigger/simulation/run';
import { schedules, type Schedule, type Step } from '../../test/trigger/simulation/schedule';
import { START, type PollFunction } from '../../test/trigger/world';
import { stateSizeAfterADay } from '../../test/trigger/stateSize';
import { PEERS } from './rules';

const RUNS = Number(process.env['PEER_RUNS'] ?? 500);
const SEED = Number(process.env['PEER_SEED'] ?? 42);

const HEAD = `| poller | its rule | schedules | rows that had to come | lost | repeated | of the past | schedules broken |
|---|---|---:|---:|---:|---:|---:|---:|`;

interface Score {
  eligible: number;
  lost: number;
  repeated: number;
  uninvited: number;
  schedulesBroken: number;
}

it('measures how many submissions each rule loses and repeats', async () => {
  const { random } = Math;
  Math.random = () => 0.5;
  const drawn = fc.sample(schedules, { numRuns: RUNS, seed: SEED }).map(asForAll);
  const plain = await table(drawn.map(onPlainService));
  const odd = await table(drawn);
  const sizes: string[] = [];
  for (const perHour of [1, 100, 10_000]) {
    const { ids, mostIds, bytes, lost } = await stateSizeAfterADay(perHour);
    sizes.push(`| ${[perHour, ids, mostIds, bytes, lost].join(' | ')} |`);
  }
  Math.random = random;
  const folder = join('benchmarks', 'pollers');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'results.md'), page(plain, odd, sizes));
}, 3_600_000);

async function table(drawn: Schedule[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, rule, poll } of [{ name: 'NeetoForm Trigger', rule: 'this package', poll: undefined }, ...PEERS]) {
    const { eligible, lost, repeated, uninvited, schedulesBroken } = await scoreOf(drawn, poll);
    lines.push(`| ${[name, rule, drawn.length, eligible, lost, repeated, uninvited, schedulesBroken].join(' | ')} |`);
    console.log(lines.at(-1));
  }
  return lines;
}

/** The same on a service that does as its description says, with a true clock. */
function onPlainService(schedule: Schedule): Schedule {
  const steps = schedule.steps
    .filter((step) => step.do !== 'quirk')
    .map((step): Step => (step.do === 'poll' ? { ...step, lie: undefined } : step));
  return { ...schedule, quirks: {}, steps };
}

/** No Start From, which only ours has, and n8n's default scheduler, under which every poller's first state is kept. */
function asForAll(schedule: Schedule): Schedule {
  return { ...schedule, scheduler: 'memory', startFromHours: undefined };
}

async function scoreOf(drawn: Schedule[], polls: PollFunction | undefined): Promise<Score> {
  const score: Score = { eligible: 0, lost: 0, repeated: 0, uninvited: 0, schedulesBroken: 0 };
  let emulator = await startEmulator({ clock: createClock(START), listen: false });
  for (const [index, schedule] of drawn.entries()) {
    clearLog();
    if (index % 40 === 39) {
      await emulator.close();
      emulator = await startEmulator({ clock: createClock(START), listen: false });
    }
    const { eligible, lost, repeated, uninvited } = await runSchedule(schedule, { polls, emulator });
    score.eligible += eligible;
    score.lost += lost.length;
    score.repeated += repeated.length;
    score.uninvited += uninvited.length;
    if (lost.length + repeated.length + uninvited.length > 0) score.schedulesBroken++;
  }
  await emulator.close();
  return score;
}

function page(plain: string[], odd: string[], sizes: string[]): string {
  return `# Pollers, side by side

Written by \`npm run bench:pollers\`; do not edit.

## Rows lost and repeated

On a service that does as its description says:

${HEAD}
${plain.join('\n')}

On services with odd habits: a clock that is off, no totals, pages of seven, ties in another order each time, a bound that is rounded or ignored:

${HEAD}
${odd.join('\n')}

Each rule lived through the same ${RUNS} random schedules (seed ${SEED}) of the trigger's simulation: submissions that become visible up to 15
minutes late, ties, deletions, faults, n8n dying and restarting, renames, a clock here that is off. "Had to come" is what the trigger
promises: visible after the activation, at most 15 minutes after its own time, and still there at the end. What n8n itself loses or repeats
by dying between its two saves is not counted for anybody.

These are models of rules, as public code or documentation tells them, put on this service; not the products, which have other services,
intervals and safeguards. A rule that suits its own service may look bad here: a spreadsheet's rows are not dated, and a mail does not
become visible late. The rules see no retries except ours, so a fault costs them the poll; a rule that loses nothing by that shows nothing
here. How many had to come differs a little, for what a poll waits moves what follows.

## What the trigger keeps

| submissions per hour | ids held | most ids held | bytes stored | lost |
|---:|---:|---:|---:|---:|
${sizes.join('\n')}

After a day, polled every minute, at the default look-back of 15 minutes. The bytes are those of the node's own state and the copy of it
together. At 10,000 an hour the bound of 2,000 unsettled ids is reached: what comes beyond waits until older ones have settled.
`;
}
