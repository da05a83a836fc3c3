import { type ClientName, type Task, titles } from './clients.ts';
import { type Harness, type Sample, timeOf } from './harness.ts';
import { type Case, type Result, measureInTurns } from './turns.ts';

/** Submissions that the trigger emits per poll by default. */
const MAX_SUBMISSIONS = 1_000;

/** How often n8n polls, ms. */
const MINUTE = 60_000;

/** The date range that is measured: places of submissions in a form, `to` exclusive. */
export const RANGE = { form: 10_000, from: 3_000, to: 7_000, size: 4_000 };

const CLIENTS: ClientName[] = ['node', 'http100', 'http30', 'undici'];

const read = (submissions: number, latencyMs: number, rounds = 3, clients = CLIENTS) => ({
  submissions,
  latencyMs,
  rounds,
  clients,
});

/** Everything in the table and the charts. A client that would need minutes for one turn is left out. */
export const fullPlan = {
  /** All submissions of a form, read by several clients. */
  exports: [
    ...[0, 50].flatMap((latencyMs) => [100, 1_000, 10_000].map((submissions) => read(submissions, latencyMs))),
    read(100_000, 0, 1, ['node', 'http100', 'undici']),
  ],
  /** Submissions of a form: for the time per submission, an idle poll and a backlog. */
  growth: [1_000, 10_000, 100_000],
  idlePolls: [1_000, 1_000_000],
  backlogs: [100, 1_000, 10_000],
  /** Forms per workspace, and how often each is polled. */
  forms: [1, 10, 100, 500, 2_000],
  formPolls: 20,
  /** Of the growth, the date range and the workspaces with many forms. */
  latencyMs: 50,
  rounds: 3,
};

/** What a run measures. */
type Plan = typeof fullPlan;

/** One or two minutes, to see that everything works. */
export const quickPlan: Plan = {
  exports: [read(100, 0, 2), read(1_000, 20, 2)],
  growth: [100, 1_000],
  idlePolls: [1_000, 1_000_000],
  backlogs: [100, 1_000],
  forms: [1, 20],
  formPolls: 3,
  latencyMs: 5,
  rounds: 2,
};

/** The parts of a run; one that fails does not stop the others. */
export function partsOf(plan: Plan) {
  const part = (title: string, measure: (harness: Harness, plan: Plan) => Promise<Result[]>) => ({
    title,
    measure: async (harness: Harness) => await measure(harness, plan),
  });
  const exports = plan.exports.map((each) => {
    const title = `${each.submissions} submissions, ${each.latencyMs} ms latency`;
    return part(title, async (harness) => await measureExport(harness, each));
  });
  return [
    ...exports,
    part('Time per submission', measureGrowth),
    part('Date range', measureDateRange),
    part('Idle polls of one form', measureIdlePolls),
    part('Backlogs', measureBacklogs),
    part('Polls of every active form', measureForms),
  ];
}

async function measureExport(harness: Harness, { submissions, latencyMs, clients, rounds }: Plan['exports'][number]) {
  const task: Task = { kind: 'read submissions', formId: harness.formOf(submissions) };
  const cases: Case[] = [];
  for (const client of clients) {
    const turn = await readerOf(harness, client, task, submissions);
    cases.push({ subject: titles[client], size: submissions, turn });
  }
  return await measureInTurns(harness, { measurement: 'export', latencyMs, rounds }, cases);
}

/** One process reads forms of all sizes. */
async function measureGrowth(harness: Harness, { growth, latencyMs, rounds }: Plan) {
  const worker = harness.startWorker('node');
  const cases: Case[] = [];
  for (const size of growth) {
    const task: Task = { kind: 'read submissions', formId: harness.formOf(size) };
    // A small form is read several times a turn: once would be too short to time.
    const times = Math.ceil(Math.max(...growth) / size / 10);
    await worker.work(task);
    cases.push({ subject: titles.node, size, times, turn: async () => await worker.work(task, times) });
  }
  const growing = { measurement: 'growth', rounds, isPerUnit: true };
  return [
    ...(await measureInTurns(harness, { ...growing, latencyMs: 0 }, cases)),
    ...(await measureInTurns(harness, { ...growing, latencyMs }, cases)),
  ];
}

/** The loop, which needs the fewest requests when the oldest come first, is what both orders of the node are compared with. */
async function measureDateRange(harness: Harness, { latencyMs, rounds }: Plan) {
  const formId = harness.formOf(RANGE.form);
  const [after, before] = [timeOf(RANGE.from), timeOf(RANGE.to)];
  const caseOf = async (client: ClientName, subject: string, order: 'asc' | 'desc'): Promise<Case> => {
    const task: Task = { kind: 'read submissions', formId, range: { after, before, order } };
    const read = await readerOf(harness, client, task, RANGE.size);
    const ends = [after, timeOf(RANGE.to - 1)];
    const expected = (order === 'asc' ? ends : ends.toReversed()).join(' to ');
    const turn = async (): Promise<Sample> => {
      const sample = await read();
      if (sample.ends !== expected) throw new Error(`${subject} read ${sample.ends}, not ${expected}`);
      return sample;
    };
    return { subject, size: RANGE.size, turn };
  };
  const cases = [
    await caseOf('axios', titles.axios, 'asc'),
    await caseOf('node', 'oldest first', 'asc'),
    await caseOf('node', 'newest first', 'desc'),
  ];
  return await measureInTurns(harness, { measurement: 'date range', latencyMs, rounds }, cases);
}

async function measureIdlePolls(harness: Harness, { idlePolls, rounds }: Plan) {
  const worker = harness.startWorker('trigger');
  const times = 20;
  const cases: Case[] = [];
  for (const size of idlePolls) {
    const parameters = { formId: byId(harness.addOldForm(size)) };
    const task: Task = { kind: 'poll', trigger: `idle ${size}`, parameters };
    const turn = async (): Promise<Sample> => complete(await worker.work(task, times), 0);
    await turn();
    cases.push({ subject: titles.trigger, size, times, turn });
  }
  return await measureInTurns(harness, { measurement: 'idle poll', latencyMs: 0, rounds: 2 * rounds }, cases);
}

/** Submissions from before the activation, emitted by as many polls as that takes. */
async function measureBacklogs(harness: Harness, { backlogs, rounds }: Plan) {
  const worker = harness.startWorker('trigger');
  const cases: Case[] = [];
  for (const size of backlogs) {
    const options = { startFrom: timeOf(0), maxSubmissions: MAX_SUBMISSIONS };
    const parameters = { formId: byId(harness.addOldForm(size)), options };
    const turn = async (round: number): Promise<Sample> => {
      const task: Task = { kind: 'poll', trigger: `backlog ${size} ${round}`, parameters, until: size };
      return complete(await worker.work(task), size);
    };
    await turn(-1);
    cases.push({ subject: titles.trigger, size, turn });
  }
  return await measureInTurns(harness, { measurement: 'backlog', latencyMs: 0, rounds, isPerUnit: true }, cases);
}

/** What a backlog may cost: 1.05 requests per 100 submissions, and one per poll. */
export function allowedRequests({ size }: Result): number {
  return (size / 100) * 1.05 + Math.ceil(size / MAX_SUBMISSIONS);
}

/**
 * Every Active Form in workspaces of several sizes, each with a service of its own: polls that find nothing. Before each, the clocks of
 * service and trigger are put forward by a minute.
 */
async function measureForms(harness: Harness, { forms, formPolls, latencyMs }: Plan) {
  const cases: Case[] = [];
  for (const size of forms) {
    const service = await harness.startService();
    for (let form = 0; form < size; form += 1) harness.addOldForm(10, service);
    const worker = harness.startWorker('trigger', service);
    const task: Task = { kind: 'poll', trigger: 'every form', parameters: { watch: 'active' }, skipMs: MINUTE };
    const turn = async (): Promise<Sample> => {
      service.clock.advance(MINUTE);
      return complete(await worker.work(task), 0);
    };
    // The activation.
    await turn();
    service.quirks.latencyMs = latencyMs;
    cases.push({ subject: titles.trigger, size, turn });
  }
  return await measureInTurns(harness, { measurement: 'forms', latencyMs, rounds: formPolls }, cases);
}

/** Starts a client, and warms it up on a form of 1,000. */
async function readerOf(
  harness: Harness,
  client: ClientName,
  task: Task,
  size: number,
): Promise<() => Promise<Sample>> {
  const worker = harness.startWorker(client);
  await worker.work({ kind: 'read submissions', formId: harness.formOf(1_000) }, 3);
  return async () => complete(await worker.work(task), size);
}

/** A figure counts only when the whole work was done. */
function complete(sample: Sample, items: number): Sample {
  if (sample.items !== items) throw new Error(`${sample.items} submissions instead of ${items}`);
  return sample;
}

function byId(value: string) {
  return { __rl: true, mode: 'id', value };
}
