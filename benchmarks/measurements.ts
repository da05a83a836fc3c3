import { startEmulator } from '../emulator/index.ts';
import { type ClientName, POLL_INTERVAL_MS, type Task, titles } from './clients.ts';
import { Harness, type Sample, timeOf } from './harness.ts';
import { type Case, type Result, measureInTurns } from './turns.ts';

/** Of the date range and of workspaces with many forms. */
const LATENCY_MS = 50;

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
  /** Forms per workspace, and how often each is polled. */
  forms: [1, 10, 100, 500, 2_000],
  formPolls: 20,
};

/** What a run measures. */
type Plan = typeof fullPlan;

/** One or two minutes, to see that everything works. */
export const quickPlan: Plan = {
  exports: [read(100, 0, 2), read(1_000, 20, 2)],
  forms: [1, 20],
  formPolls: 3,
};

/** @param onPart called with the title of each part before it is measured */
export async function measure(plan: Plan, onPart: (title: string) => void): Promise<Result[]> {
  const harness = new Harness(await startEmulator({ recordBodies: false }));
  const results: Result[] = [];
  try {
    for (const each of plan.exports) {
      onPart(`${each.submissions} submissions, ${each.latencyMs} ms latency`);
      results.push(...(await measureExport(harness, each)));
      await harness.endPart();
    }
    onPart('Date range');
    results.push(...(await measureDateRange(harness)));
    await harness.endPart();
    onPart('Polls of every active form');
    results.push(...(await measureForms(harness, plan)));
    return results;
  } finally {
    await harness.close();
  }
}

async function measureExport(harness: Harness, { submissions, latencyMs, clients, rounds }: Plan['exports'][number]) {
  const task = { formId: harness.formOf(submissions) };
  const cases: Case[] = [];
  for (const client of clients) {
    const turn = await readerOf(harness, client, task, submissions);
    cases.push({ subject: titles[client], size: submissions, turn });
  }
  return await measureInTurns(harness, { measurement: 'export', latencyMs, rounds }, cases);
}

/** The loop, which needs the fewest requests when the oldest come first, is what both orders of the node are compared with. */
async function measureDateRange(harness: Harness) {
  const formId = harness.formOf(RANGE.form);
  const [submittedAfter, submittedBefore] = [timeOf(RANGE.from), timeOf(RANGE.to)];
  const caseOf = async (client: ClientName, subject: string, order: 'asc' | 'desc'): Promise<Case> => {
    const range = { submittedAfter, submittedBefore, order };
    const read = await readerOf(harness, client, { formId, range }, RANGE.size);
    const ends = [submittedAfter, timeOf(RANGE.to - 1)];
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
  return await measureInTurns(harness, { measurement: 'date range', latencyMs: LATENCY_MS, rounds: 3 }, cases);
}

/**
 * All Active Forms in workspaces of several sizes, each with a service of its own: polls that find nothing. Before each, the clocks of
 * service and trigger are put forward by a minute.
 */
async function measureForms(harness: Harness, { forms, formPolls }: Plan) {
  const cases: Case[] = [];
  for (const size of forms) {
    const service = await harness.startService(size);
    const poll = harness.startClient('trigger', service);
    const turn = async (): Promise<Sample> => {
      service.clock.advance(POLL_INTERVAL_MS);
      return complete(await poll({ formId: '' }), 0);
    };
    // The activation.
    await turn();
    service.quirks.latencyMs = LATENCY_MS;
    cases.push({ subject: titles.trigger, size, turn });
  }
  return await measureInTurns(harness, { measurement: 'forms', latencyMs: LATENCY_MS, rounds: formPolls }, cases);
}

/** Starts a client, and warms it up on a form of 1,000. */
async function readerOf(
  harness: Harness,
  client: ClientName,
  task: Task,
  size: number,
): Promise<() => Promise<Sample>> {
  const work = harness.startClient(client);
  const warmUp = { formId: harness.formOf(1_000) };
  for (let time = 0; time < 3; time += 1) await work(warmUp);
  return async () => complete(await work(task), size);
}

/** A figure counts only when the whole work was done. */
function complete(sample: Sample, items: number): Sample {
  if (sample.items !== items) throw new Error(`${sample.items} submissions instead of ${items}`);
  return sample;
}
