import type { INodeParameters } from 'n8n-workflow';
import { startEmulator, type Emulator, type SubmissionInput } from '../../emulator/index.ts';
import { compare, createHarness, EACH_ONCE, LOOK, MINUTE, type HarnessOptions, type TriggerHarness } from './harness';

jest.setTimeout(60_000);

export interface Setting extends HarnessOptions {
  triggerOn?: 'one' | 'several' | 'allActive';
  /** How many forms the workspace has. Default: 1, or 3 when several are watched. */
  count?: number;
}

/** The harness of the current test. */
export let harness: TriggerHarness;

/** The forms of its workspace, oldest first; the first one is the harness's own. */
export let forms: string[];

/** What the user chose, for this process of n8n and the next. */
let chosen: INodeParameters;

/** What the test closes when it ends. */
const started: Array<{ close: () => Promise<void> }> = [];

afterEach(async () => {
  for (const each of started.splice(0)) await each.close();
});

/** Starts a service and a workflow on it, not active yet. */
export async function begin({ triggerOn = 'one', count, ...options }: Setting = {}): Promise<void> {
  chosen = { triggerOn, formIds: [], ...options.parameters };
  harness = await createHarness({ ...options, parameters: chosen });
  started.push(harness);
  forms = [harness.formId];
  while (forms.length < (count ?? (triggerOn === 'one' ? 1 : 3))) forms.push(addForm());
  if (triggerOn === 'several') choose(forms);
}

/** Starts a service and an active workflow on it. */
export async function beginActive(setting?: Setting): Promise<void> {
  await begin(setting);
  const { error } = await harness.activate();
  if (error !== undefined) throw error;
}

/** Starts another service. */
export async function startService(options?: Parameters<typeof startEmulator>[0]): Promise<Emulator> {
  const service = await startEmulator(options);
  started.push(service);
  return service;
}

/** Adds an empty form. @returns its ID */
export function addForm(): string {
  return harness.emulator.workspace.addForm({ title: 'Another' }).id;
}

/** The user edits the workflow: it watches this form, these forms, or all. */
export function choose(formIds: string[] | string, triggerOn = 'several'): void {
  const [value = ''] = [formIds].flat();
  Object.assign(chosen, {
    triggerOn,
    formIds,
    ...(triggerOn === 'one' && { formId: { __rl: true, mode: 'id', value } }),
  });
  harness.poller.change({ parameters: harness.parameters() });
}

/** The user edits the workflow and publishes it again. @throws what the activation throws */
export async function republish(...choice: Parameters<typeof choose>): Promise<string[]> {
  choose(...choice);
  const { error, ids } = await harness.activate('update');
  if (error !== undefined) throw error;
  return ids ?? [];
}

/** A submission of the nth form. @returns its ID */
export function submit(nth: number, input: SubmissionInput = {}): string {
  return harness.insert(input, forms[nth]);
}

/** The list of forms lacks these. Only without a real connection. @returns a function that ends it */
export function hideFromList(formIds: string[]): () => void {
  harness.inProcess.hiddenForms = new Set(formIds);
  return () => {
    harness.inProcess.hiddenForms = new Set();
  };
}

/** Polls until nothing is left, late finishers included. Each of these must have been emitted once then, and nothing else. */
export async function expectEachOnce(ids: string[] = harness.inserted): Promise<void> {
  await harness.pollUntilEmpty();
  await harness.pollFor(LOOK + MINUTE);
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
}
