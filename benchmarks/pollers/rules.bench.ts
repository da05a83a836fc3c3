import * as fc from 'fast-check';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearLog } from '../../test/support/engine';
import { runSchedule } from '../../test/trigger/simulation/run';
import { SharedService } from '../../test/trigger/simulation/property';
import { schedulesOf, type Schedule, type Step } from '../../test/trigger/simulation/schedule';
import type { PollFunction } from '../../test/trigger/harness';
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
  unexpected: number;
  schedulesBroken: number;
}

it('measures how many submissions each rule loses and repeats', async () => {
  const { random } = Math;
  Math.random = () => 0.5;
  const drawn = fc.sample(schedulesOf('one'), { numRuns: RUNS, seed: SEED }).map(asForAll);
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
    const { eligible, lost, repeated, unexpected, schedulesBroken } = await scoreOf(drawn, poll);
    lines.push(`| ${[name, rule, drawn.length, eligible, lost, repeated, unexpected, schedulesBroken].join(' | ')} |`);
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

/** What only our trigger has, and what n8n's durable scheduler alone keeps, is left out; so is what users change in the workflow. */
function asForAll(schedule: Schedule): Schedule {
  const steps = schedule.steps.filter((step) => !EDITS.includes(step.do));
  return { ...schedule, steps, scheduler: 'memory', startFromHours: undefined };
}

const EDITS: Array<Step['do']> = ['swap names', 'copy', 'replace', 'switch workspace', 'choose forms'];

async function scoreOf(drawn: Schedule[], polls: PollFunction | undefined): Promise<Score> {
  const score: Score = { eligible: 0, lost: 0, repeated: 0, unexpected: 0, schedulesBroken: 0 };
  const services = new SharedService('inject');
  for (const schedule of drawn) {
    clearLog();
    const service = await services.next();
    const { eligible, lost, repeated, unexpected } = await runSchedule(schedule, { polls, service });
    score.eligible += eligible;
    score.lost += lost.length;
    score.repeated += repeated.length;
    score.unexpected += unexpected.length;
    if (lost.length + repeated.length + unexpected.length > 0) score.schedulesBroken++;
  }
  await services.close();
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
