import * as fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearLog } from '../../test/support/engine';
import type { PollFunction } from '../../test/trigger/harness';
import { SharedService } from '../../test/trigger/simulation/property';
import { runSchedule } from '../../test/trigger/simulation/run';
import { schedulesOf, type Schedule, type Step } from '../../test/trigger/simulation/schedule';
import { POLLING_RULES } from './rules';

const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 500);
const SEED = Number(process.env['SIMULATION_SEED'] ?? 42);

const HEAD = `| Trigger | Its rule | Eligible | Lost | Repeated | Unexpected | Failed schedules |
|---|---|---:|---:|---:|---:|---:|`;

/** What a user changes in the workflow: the other products have rules of their own for that. */
const EDITS: Array<Step['do']> = ['swap names', 'copy', 'replace', 'switch workspace', 'choose forms'];

it('counts the submissions that each rule loses and repeats', async () => {
  const { random } = Math;
  Math.random = () => 0.5;
  const drawn = fc.sample(schedulesOf('one'), { numRuns: RUNS, seed: SEED }).map(forAll);
  const documented = await table(drawn.map(onDocumentedService));
  const deviating = await table(drawn);
  Math.random = random;
  writeFileSync(join(__dirname, 'results.md'), page(documented, deviating));
}, 3_600_000);

async function table(schedules: Schedule[]): Promise<string> {
  const lines = [HEAD];
  const ours = { product: 'NeetoForm Trigger', rule: 'This package', poll: undefined };
  for (const { product, rule, poll } of [ours, ...POLLING_RULES]) {
    lines.push(`| ${[product, rule, ...(await scoreOf(schedules, poll))].join(' | ')} |`);
    console.log(lines.at(-1));
  }
  return lines.join('\n');
}

async function scoreOf(schedules: Schedule[], polls: PollFunction | undefined): Promise<number[]> {
  const sums = [0, 0, 0, 0, 0];
  const services = new SharedService('inject');
  for (const schedule of schedules) {
    clearLog();
    const { eligible, ...rest } = await runSchedule(schedule, { polls, service: await services.next() });
    const wrong = [rest.lost.length, rest.repeated.length, rest.unexpected.length];
    [eligible, ...wrong, wrong.some(Boolean) ? 1 : 0].forEach(
      (count, index) => (sums[index] = (sums[index] ?? 0) + count),
    );
  }
  await services.close();
  return sums;
}

/** Without what only this package's trigger has, and without the durable scheduler, which alone keeps every rule's first state. */
function forAll(schedule: Schedule): Schedule {
  const steps = schedule.steps.filter((step) => !EDITS.includes(step.do));
  return { ...schedule, steps, scheduler: 'memory', startFromHours: undefined };
}

/** The same on a service that works as documented, with a correct clock. */
function onDocumentedService(schedule: Schedule): Schedule {
  const steps = schedule.steps
    .filter((step) => step.do !== 'quirk')
    .map((step): Step => (step.do === 'poll' ? { ...step, lie: undefined } : step));
  return { ...schedule, quirks: {}, steps };
}

function page(documented: string, deviating: string): string {
  return `# Comparison of polling rules

Written by \`npm run bench:pollers\`; do not edit.

On a service that works as documented:

${documented}

On services that deviate: a wrong clock, no totals, pages of seven, ties in another order each time, a lower bound that is rounded or ignored:

${deviating}

Each rule ran through the same ${RUNS} random schedules (seed ${SEED}) of the trigger's simulation: submissions that become visible up to
15 minutes late, ties, deletions, failed requests, crashes and restarts of n8n, renamed nodes, a wrong local clock. *Eligible* submissions
became visible after the activation, at most 15 minutes after their own time, and still exist at the end. *Unexpected* ones are older than
the activation. What n8n itself loses or repeats by crashing between its two saves does not count.

These are models of rules from public code or documentation, on this service. They are not the products, which have other services,
intervals and safeguards: the rows of a spreadsheet have no date, and an e-mail does not become visible late. Only this package's trigger
retries; for the others, a failed request is a failed poll. The number of eligible submissions differs a little, because the time that a
poll takes changes what follows.
`;
}
