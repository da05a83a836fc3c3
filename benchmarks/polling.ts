import { createRequire } from 'node:module';

import { type Emulator, startEmulator } from '../emulator/index.ts';
import type * as TriggerNode from '../nodes/NeetoForm/NeetoFormTrigger.node.ts';
import { createPollingWorkflow } from '../test/support/engine.ts';
import { addForm } from './harness.ts';
import type { Figure } from './report.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const IDLE_POLLS = 20;

const load = createRequire(import.meta.url);
const { NeetoFormTrigger } = load('../dist/nodes/NeetoForm/NeetoFormTrigger.node.js') as typeof TriggerNode;

// Service and trigger are in this process, so that both see the same time.
const realNow = Date.now;
let skippedMs = 0;
Date.now = () => realNow() + skippedMs;

/** Measures idle polls of 500 active forms, each with ten submissions of the last days. */
export async function pollIdleForms(): Promise<Figure[]> {
  const service = await startEmulator();
  for (let forms = 0; forms < 500; forms += 1) addForm(service, 10, 12 * HOUR);
  const { requests } = await (await activate(service))(IDLE_POLLS, 0);
  return [{ name: 'Idle poll, 500 forms: requests', unit: '', values: [requests / IDLE_POLLS], atMost: 68 }];
}

/** Measures polls of a form with 100 submissions a week: idle ones, and those until a late finisher of five days is found. */
export async function pollOneForm(): Promise<Figure[]> {
  const service = await startEmulator();
  const { id } = addForm(service, 100, 100 * MINUTE);
  const poll = await activate(service, [id]);
  const { requests, rows } = await poll(IDLE_POLLS, 0);
  service.workspace.addSubmission(id);
  await poll(1, 1);
  service.workspace.addSubmission(id, { createdAt: Date.now() - 120 * HOUR });
  let minutes = 1;
  while (minutes < 60 && (await poll()).items === 0) minutes += 1;
  return [
    { name: 'Idle poll, one form: requests', unit: '', values: [requests / IDLE_POLLS], atMost: 1.2 },
    { name: 'Idle poll, one form: submissions transferred', unit: '', values: [rows / IDLE_POLLS], atMost: 30 },
    { name: 'Late finisher: delay', unit: 'min', values: [minutes], atMost: 11 },
  ];
}

/** Measures backlogs of 1,000 submissions in one form and in each of eight, and the stored state of a form with 2,000. */
export async function pollBacklogs(): Promise<Figure[]> {
  const [one, eight, two] = [await deliver(1, 1_000), await deliver(8, 1_000), await deliver(1, 2_000)];
  return [
    { name: 'Backlog of one form: requests per 1,000', unit: '', values: [one.requests], atMost: 12 },
    { name: 'Backlog of eight forms: requests per 1,000', unit: '', values: [eight.requests / 8], atMost: 25 },
    { name: 'State of a form with 2,000 submissions', unit: 'kB', values: [two.stateBytes / 1_000], atMost: 120 },
  ];
}

/** Adds submissions to each of so many forms, one a second in turn, and polls until all are delivered. */
async function deliver(formCount: number, perForm: number) {
  const service = await startEmulator();
  const formIds = Array.from({ length: formCount }, () => addForm(service, 10).id);
  const poll = await activate(service, formIds);
  const total = formCount * perForm;
  for (let index = 0; index < total; index += 1) {
    skippedMs += 1_000;
    service.workspace.addSubmission(formIds[index % formCount] ?? '');
  }
  return await poll(total / 1_000, total);
}

/** Starts the trigger, by default for the whole workspace. @returns a function that polls so many times, a minute apart */
async function activate({ url, apiKey, requests }: Emulator, formIds: string[] = []) {
  const credentials = { own: { subdomain: 'acme', apiKey, baseUrl: url } };
  const triggerOn = ['allActive', 'one'][formIds.length] ?? 'several';
  const parameters = { triggerOn, formId: { __rl: true as const, mode: 'id', value: formIds[0] ?? '' }, formIds };
  const trigger = createPollingWorkflow(new NeetoFormTrigger(), { triggers: [{ parameters }], credentials });
  await trigger.activate();
  return async (count = 1, expectedItems?: number) => {
    requests.length = 0;
    let items = 0;
    for (let done = 0; done < count; done += 1) {
      skippedMs += MINUTE;
      items += (await trigger.poll())?.flat().length ?? 0;
    }
    if (items !== (expectedItems ?? items)) throw new Error(`${items} submissions instead of ${expectedItems}`);
    const bodies = requests.map(({ responseBody = '{}' }) => JSON.parse(responseBody) as { submissions?: unknown[] });
    const rows = bodies.flatMap(({ submissions = [] }) => submissions).length;
    const state = JSON.stringify(trigger.staticDataOf()[`node:${trigger.nodeOf().name}`]);
    return { items, requests: requests.length, rows, stateBytes: state.length };
  };
}
