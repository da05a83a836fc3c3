import type { INodeParameters } from 'n8n-workflow';
import {
  startEmulator,
  type Emulator,
  type FaultEffect,
  type ResponseBody,
  type SubmissionInput,
} from '../../emulator/index.ts';
import { compare, EACH_ONCE, LOOK, MINUTE, START, TriggerHarness, type HarnessOptions } from './triggerHarness';
import { VirtualTime } from '../support/virtualTime';

jest.setTimeout(60_000);

export const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };
export const FORBIDDEN: FaultEffect = { status: 403, body: { error: 'Not allowed' } };

export interface Setting extends HarnessOptions {
  triggerOn?: 'one' | 'several' | 'allActive';
  /** How many forms the workspace has. Default: 1, or 3 when several are watched. */
  count?: number;
  /** Where the service's files redirect to. */
  objectStoreUrl?: string;
}

/** The harness of the current test. */
export let harness: TriggerHarness;

/** The forms of its workspace, oldest first; the first one is the harness's own. */
export let forms: string[];

/** What the user chose, for this process of n8n and the next. */
let chosen: INodeParameters;

/** The services of the test. */
const started: Emulator[] = [];

afterEach(async () => {
  for (const service of started.splice(0)) await service.close();
});

/** Starts a service and a workflow on it, not active yet. */
export async function begin({ triggerOn = 'one', count, objectStoreUrl, ...options }: Setting = {}): Promise<void> {
  const time = new VirtualTime(START);
  const clock = { now: () => time.now, advance: (ms: number) => time.advance(ms) };
  const listen = options.transport !== 'inject';
  const service = await startService({ clock, listen, objectStoreUrl });
  forms = [service.workspace.addForm({ title: 'Contact' }).id];
  chosen = { triggerOn, formIds: [], ...options.parameters };
  harness = new TriggerHarness(service, time, forms[0] ?? '', { ...options, parameters: chosen });
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

/** A submission of each form. @returns their IDs */
export function submitToAll(): string[] {
  return forms.map((_, nth) => submit(nth));
}

/** The list of forms gives every form this number of submissions. */
export function fixCounts(count: number): void {
  const rewrite = ({ forms: listed = [], ...body }: ResponseBody) => ({
    ...body,
    forms: listed.map((form) => ({ ...form, submissions_count: count })),
  });
  harness.emulator.fail({ when: { path: /\/forms$/, times: Infinity }, with: { rewrite } });
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
