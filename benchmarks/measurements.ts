import { type ClientName, type Task, titles } from './clients.ts';
import { type Case, type Harness, type Result, type Sample, measureInTurns } from './harness.ts';
import { timeOf } from './submissions.ts';

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
  /** Of the date range and of workspaces with many forms. */
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
    part('Loading', measureLoading),
  ];
}

async function measureExport(harness: Harness, { submissions, latencyMs, clients, rounds }: Plan['exports'][number]) {
  const task: Task = { kind: 'read submissions', formId: await harness.formOf(submissions) };
  const cases: Case[] = [];
  for (const client of clients) {
    const turn = await readerOf(harness, client, task, submissions);
    cases.push({ subject: titles[client], size: submissions, turn });
  }
  return await measureInTurns(harness, { measurement: 'export', latencyMs, rounds }, cases);
}

/** One process reads forms of all sizes. */
async function measureGrowth(harness: Harness, { growth, latencyMs, rounds }: Plan) {
  const worker = await harness.startWorker('node');
  const cases: Case[] = [];
  for (const size of growth) {
    const task: Task = { kind: 'read submissions', formId: await harness.formOf(size) };
    // A small form is read several times a turn: once would be too short to time.
    const times = Math.ceil(Math.max(...growth) / size / 10);
    await worker.call('warmUp', { task, times: 1 });
    cases.push({ subject: titles.node, size, times, turn: async () => await harness.turn(worker, task, times) });
  }
  const results: Result[] = [];
  for (const ms of [0, latencyMs]) {
    const growing = { measurement: 'growth', latencyMs: ms, rounds, isPerUnit: true };
    results.push(...(await measureInTurns(harness, growing, cases)));
  }
  return results;
}

/** The loop, which needs the fewest requests when the oldest come first, is what both orders of the node are compared with. */
async function measureDateRange(harness: Harness, { latencyMs, rounds }: Plan) {
  const formId = await harness.formOf(RANGE.form);
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
  const worker = await harness.startWorker('trigger');
  const times = 20;
  const cases: Case[] = [];
  for (const size of idlePolls) {
    const task: Task = { kind: 'poll', trigger: `idle ${size}`, parameters: await oldForm(harness, size) };
    await worker.call('warmUp', { task, times });
    const turn = async (): Promise<Sample> => complete(await harness.turn(worker, task, times), 0);
    cases.push({ subject: titles.trigger, size, times, turn });
  }
  return await measureInTurns(harness, { measurement: 'idle poll', latencyMs: 0, rounds: 2 * rounds }, cases);
}

/** Submissions from before the activation, emitted by as many polls as that takes. */
async function measureBacklogs(harness: Harness, { backlogs, rounds }: Plan) {
  const worker = await harness.startWorker('trigger');
  const cases: Case[] = [];
  for (const size of backlogs) {
    const form = await oldForm(harness, size);
    const parameters = { ...form, options: { startFrom: timeOf(0), maxSubmissions: MAX_SUBMISSIONS } };
    const turn = async (round: number): Promise<Sample> => {
      const task: Task = { kind: 'poll', trigger: `backlog ${size} ${round}`, parameters, until: size };
      return complete(await harness.turn(worker, task), size);
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

/** Every Active Form in workspaces of several sizes: polls that find nothing, then the delay of submissions to the largest. */
async function measureForms(harness: Harness, { forms, formPolls, latencyMs, rounds }: Plan) {
  const workspaces: Array<Awaited<ReturnType<typeof watchWorkspace>>> = [];
  for (const size of forms) workspaces.push(await watchWorkspace(harness, size, latencyMs));
  const idle = workspaces.map(({ size, poll }): Case => ({
    subject: titles.trigger,
    size,
    turn: async () => complete(await poll(), 0),
  }));
  const delays = workspaces.slice(-1).map(({ size, poll, submit }): Case => {
    const turn = async (round: number): Promise<Sample> => {
      await submit((round * 397) % size);
      let [last, minutes] = [await poll(), 0];
      for (; last.items === 0 && minutes < 30; minutes += 1) last = await poll();
      const emitted = complete(last, 1);
      return { ...emitted, ms: emitted.ms + minutes * MINUTE };
    };
    return { subject: titles.trigger, size, turn };
  });
  return [
    ...(await measureInTurns(harness, { measurement: 'forms', latencyMs, rounds: formPolls }, idle)),
    ...(await measureInTurns(harness, { measurement: 'delay', latencyMs, rounds }, delays)),
  ];
}

/** A workspace with a service of its own, and an active trigger in a process of its own. */
async function watchWorkspace(harness: Harness, size: number, latencyMs: number) {
  const service = await harness.startService();
  const ids = await service.process.call('addForms', { count: size, submissions: 10 });
  const worker = await harness.startWorker('trigger', service);
  const task: Task = { kind: 'poll', trigger: 'every form', parameters: { watch: 'active' } };
  // The activation.
  complete(await harness.turn(worker, task, 1, service), 0);
  await service.process.call('setLatency', { ms: latencyMs });
  return {
    size,
    /** Polls a minute later: the clocks of service and trigger are put forward. */
    async poll() {
      await service.process.call('skip', { ms: MINUTE });
      await worker.call('skip', { ms: MINUTE });
      return await harness.turn(worker, task, 1, service);
    },
    /** Adds a submission to one of the forms. */
    submit: async (form: number) => await service.process.call('submit', { formId: ids[form] ?? '' }),
  };
}

async function measureLoading(harness: Harness, { rounds }: Plan) {
  const both: Case = { subject: 'both nodes', size: 2, turn: async () => await harness.loadNodes() };
  return await measureInTurns(harness, { measurement: 'loading', latencyMs: 0, rounds: 2 * rounds + 1 }, [both]);
}

/** Starts a client, and warms it up on a form of 1,000. */
async function readerOf(
  harness: Harness,
  client: ClientName,
  task: Task,
  size: number,
): Promise<() => Promise<Sample>> {
  const warmUp: Task = { kind: 'read submissions', formId: await harness.formOf(1_000) };
  const worker = await harness.startWorker(client);
  await worker.call('warmUp', { task: warmUp, times: 3 });
  return async () => complete(await harness.turn(worker, task), size);
}

/** A figure counts only when the whole work was done. */
function complete(sample: Sample, items: number): Sample {
  if (sample.items !== items) throw new Error(`${sample.items} submissions instead of ${items}`);
  return sample;
}

/** The trigger's parameters for a new form with submissions of the past, without answers. */
async function oldForm({ service }: Harness, submissions: number) {
  const [value = ''] = await service.process.call('addForms', { count: 1, submissions });
  return { formId: { __rl: true, mode: 'id', value } };
}
