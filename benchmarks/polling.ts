import { createRequire } from 'node:module';

import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../emulator/index.ts';
import type * as TriggerNode from '../nodes/NeetoForm/NeetoFormTrigger.node.ts';
import { createPoller } from '../test/support/engine.ts';
import { type Harness, addForm } from './harness.ts';
import type { Part } from './report.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const IDLE_POLLS = 20;

const load = createRequire(import.meta.url);
const { NeetoFormTrigger } = load('../dist/nodes/NeetoForm/NeetoFormTrigger.node.js') as typeof TriggerNode;

// Service and trigger are in this process, so that both see the same time.
const realNow = Date.now;
let skippedMs = 0;
Date.now = () => realNow() + skippedMs;

/** What polls returned, sent and left behind. */
interface Polls {
  items: number;
  requests: number;
  /** Submissions in the responses. */
  rows: number;
  /** What n8n has stored for the node, at most. */
  stateBytes: number;
}

/** Polls that find nothing: all of 500 active forms, each with ten submissions of the last days; one form with 100 a week. */
export async function pollIdleForms(harness: Harness): Promise<Part> {
  const many = await harness.startService();
  for (let forms = 0; forms < 500; forms += 1) addForm(many, 10, 12 * HOUR);
  const all = await (await activate(many, { triggerOn: 'allActive' }))(IDLE_POLLS, 0);
  const one = await harness.startService();
  const single = await (await activate(one, oneForm(addForm(one, 100, 100 * MINUTE).id)))(IDLE_POLLS, 0);
  return {
    figures: {
      'Idle poll, 500 forms: requests': { values: [all.requests / IDLE_POLLS], atMost: 68 },
      'Idle poll, one form: requests': { values: [single.requests / IDLE_POLLS], atMost: 1.2 },
      'Idle poll, one form: submissions transferred': { values: [single.rows / IDLE_POLLS], atMost: 30 },
    },
  };
}

/** A submission that took five days to fill in, on a form with 100 a week, while somebody else was faster. */
export async function pollLateFinisher(harness: Harness): Promise<Part> {
  const service = await harness.startService();
  const { id } = addForm(service, 100, 100 * MINUTE);
  const poll = await activate(service, oneForm(id));
  await poll(IDLE_POLLS, 0);
  service.workspace.addSubmission(id);
  await poll(1, 1);
  service.workspace.addSubmission(id, { createdAt: Date.now() - 120 * HOUR });
  let minutes = 1;
  while (minutes < 60 && (await poll()).items === 0) minutes += 1;
  return { figures: { 'Late finisher: delay': { unit: 'min', values: [minutes], atMost: 11 } } };
}

/** 1,000 new submissions in one form, and in each of eight, one a second. Then what is stored of a form with 2,000. */
export async function pollBacklogs(harness: Harness): Promise<Part> {
  const one = await deliver(await harness.startService(), 1, 1_000);
  const eight = await deliver(await harness.startService(), 8, 1_000);
  const { stateBytes } = await deliver(await harness.startService(), 1, 2_000);
  return {
    figures: {
      'Backlog of one form: requests per 1,000': { values: [one.requests], atMost: 12 },
      'Backlog of eight forms: requests per 1,000': { values: [eight.requests / 8], atMost: 25 },
      'State of a form with 2,000 submissions': { unit: 'kB', values: [stateBytes / 1_000], atMost: 120 },
    },
  };
}

/** Adds submissions to each of so many forms, one a second in turn, and polls until all are delivered. */
async function deliver(service: Emulator, formCount: number, perForm: number): Promise<Polls> {
  const formIds = Array.from({ length: formCount }, () => addForm(service, 10).id);
  const [only = ''] = formIds;
  const poll = await activate(service, formCount === 1 ? oneForm(only) : { triggerOn: 'several', formIds });
  const total = formCount * perForm;
  for (let index = 0; index < total; index += 1) {
    skippedMs += 1_000;
    service.workspace.addSubmission(formIds[index % formCount] ?? '');
  }
  return await poll(total / 1_000, total);
}

function oneForm(value: string): INodeParameters {
  return { triggerOn: 'one', formId: { __rl: true, mode: 'id', value } };
}

/** Starts the trigger. @returns so many polls, a minute apart, which must return so many submissions if that is said */
async function activate({ url, apiKey, requests }: Emulator, parameters: INodeParameters) {
  const credentials = { subdomain: 'acme', apiKey, baseUrl: url };
  const trigger = createPoller(new NeetoFormTrigger(), { parameters, credentials });
  await trigger.activate();
  return async (count = 1, expectedItems?: number): Promise<Polls> => {
    requests.length = 0;
    let [items, stateBytes] = [0, 0];
    for (let done = 0; done < count; done += 1) {
      skippedMs += MINUTE;
      items += (await trigger.poll())?.flat().length ?? 0;
      const state = trigger.staticData[`node:${trigger.node.name}`] ?? null;
      stateBytes = Math.max(stateBytes, JSON.stringify(state).length);
    }
    if (items !== (expectedItems ?? items)) throw new Error(`${items} submissions instead of ${expectedItems}`);
    const rows = requests.reduce((sum, { responseBody }) => sum + rowsIn(responseBody), 0);
    return { items, requests: requests.length, rows, stateBytes };
  };
}

function rowsIn(responseBody = '{}'): number {
  return (JSON.parse(responseBody) as { submissions?: unknown[] }).submissions?.length ?? 0;
}
