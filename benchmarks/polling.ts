import { createRequire } from 'node:module';

import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../emulator/index.ts';
import type * as TriggerNode from '../nodes/NeetoForm/NeetoFormTrigger.node.ts';
import { createPoller } from '../test/support/engine.ts';
import { type Harness, addForm } from './harness.ts';
import { type Figure, type Part, figure } from './report.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const IDLE_POLLS = 20;

const load = createRequire(import.meta.url);
const { NeetoFormTrigger } = load('../dist/nodes/NeetoForm/NeetoFormTrigger.node.js') as typeof TriggerNode;

// Service and trigger are in this process, so that both see the same time.
const realNow = Date.now;
let skippedMs = 0;
Date.now = () => realNow() + skippedMs;

/** What a poll returned, sent and left behind. */
interface Poll {
  items: number;
  requests: number;
  /** Submissions in the responses, where the service keeps them. */
  rows: number;
  /** What n8n has stored for the node. */
  stateBytes: number;
}

/** Polls that find nothing: all of 500 active forms, each with ten submissions of the last days; one form with 100 a week. */
export async function pollIdleForms(harness: Harness): Promise<Part> {
  const many = await harness.startService(true);
  for (let forms = 0; forms < 500; forms += 1) addForm(many, 10, 12 * HOUR);
  const all = await idle(await activate(many, { triggerOn: 'allActive' }));
  const one = await harness.startService(true);
  const { id } = addForm(one, 100, 100 * MINUTE);
  const single = await idle(await activate(one, oneForm(id)));
  return {
    figures: [
      figure('Idle poll, 500 forms: requests', '', [meanOf(all, 'requests')], { atMost: 68 }),
      figure('Idle poll, one form: requests', '', [meanOf(single, 'requests')], { atMost: 1.2 }),
      figure('Idle poll, one form: submissions transferred', '', [meanOf(single, 'rows')], { atMost: 30 }),
    ],
  };
}

/** A submission that took five days to fill in, on a form with 100 a week, while somebody else was faster. */
export async function pollLateFinisher(harness: Harness): Promise<Part> {
  const service = await harness.startService();
  const { id } = addForm(service, 100, 100 * MINUTE);
  const poll = await activate(service, oneForm(id));
  await idle(poll);
  service.workspace.addSubmission(id);
  await poll(1);
  service.workspace.addSubmission(id, { createdAt: Date.now() - 120 * HOUR });
  let polls = 1;
  while (polls < 60 && (await poll()).items === 0) polls += 1;
  return { figures: [figure('Late finisher: delay', 'min', [polls], { atMost: 11 })] };
}

/** 1,000 new submissions in one form, and in each of eight, one a second. Then what is stored of a form with 2,000. */
export async function pollBacklogs(harness: Harness): Promise<Part> {
  const figures: Figure[] = [];
  for (const [formCount, atMost] of [
    [1, 12],
    [8, 25],
  ] as const) {
    const polls = await deliver(await harness.startService(), formCount, 1_000);
    const requests = polls.reduce((sum, poll) => sum + poll.requests, 0) / formCount;
    const name = formCount === 1 ? 'Backlog of one form' : 'Backlog of eight forms';
    figures.push(figure(`${name}: requests per 1,000`, '', [requests], { atMost }));
  }
  const sizes = (await deliver(await harness.startService(), 1, 2_000)).map(({ stateBytes }) => stateBytes / 1_000);
  figures.push(figure('State of a form with 2,000 submissions', 'kB', [Math.max(...sizes)], { atMost: 120 }));
  return { figures };
}

/** Adds submissions to each of so many forms, one a second in turn, and polls until all are delivered. */
async function deliver(service: Emulator, formCount: number, perForm: number): Promise<Poll[]> {
  const formIds = Array.from({ length: formCount }, () => addForm(service, 10).id);
  const poll = await activate(service, { triggerOn: 'several', formIds });
  for (let index = 0; index < formCount * perForm; index += 1) {
    skippedMs += 1_000;
    service.workspace.addSubmission(formIds[index % formCount] ?? '');
  }
  const polls: Poll[] = [];
  let left = formCount * perForm;
  while (left > 0) {
    if (polls.length === 100) throw new Error(`${left} submissions of the backlog were not delivered`);
    const done = await poll();
    polls.push(done);
    left -= done.items;
  }
  return polls;
}

function oneForm(value: string): INodeParameters {
  return { triggerOn: 'one', formId: { __rl: true, mode: 'id', value } };
}

/** Starts the trigger. @returns a poll a minute later, which must return so many submissions if that is said */
async function activate({ url, apiKey, requests }: Emulator, parameters: INodeParameters) {
  const credentials = { subdomain: 'acme', apiKey, baseUrl: url };
  const trigger = createPoller(new NeetoFormTrigger(), { parameters, credentials });
  await trigger.activate();
  return async (expectedItems?: number): Promise<Poll> => {
    skippedMs += MINUTE;
    requests.length = 0;
    const items = (await trigger.poll())?.flat().length ?? 0;
    if (items !== (expectedItems ?? items)) throw new Error(`${items} submissions instead of ${expectedItems}`);
    const rows = requests.reduce((sum, { responseBody }) => sum + rowsIn(responseBody), 0);
    const state = trigger.staticData[`node:${trigger.node.name}`] ?? null;
    return { items, requests: requests.length, rows, stateBytes: JSON.stringify(state).length };
  };
}

async function idle(poll: (expectedItems: number) => Promise<Poll>): Promise<Poll[]> {
  const polls: Poll[] = [];
  while (polls.length < IDLE_POLLS) polls.push(await poll(0));
  return polls;
}

function rowsIn(responseBody = '{}'): number {
  return (JSON.parse(responseBody) as { submissions?: unknown[] }).submissions?.length ?? 0;
}

function meanOf(polls: Poll[], key: 'requests' | 'rows'): number {
  return polls.reduce((sum, poll) => sum + poll[key], 0) / polls.length;
}
