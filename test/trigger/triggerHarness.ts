import type { IDataObject, INode, INodeExecutionData, INodeParameters, INodeType, IPollFunctions } from 'n8n-workflow';
import {
  startEmulator,
  type Emulator,
  type FaultEffect,
  type ResponseBody,
  type SubmissionInput,
} from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import { createPollingWorkflow, type PollingWorkflow, type Scheduler, type TriggerOptions } from '../support/engine';
import { VirtualTime } from '../support/virtualTime';
import { inProcessRequests } from './inProcess';
import { compare, EACH_ONCE, idOf, LOOK, MINUTE, START, toText, type PollOutcome } from './outcome';

jest.setTimeout(60_000);

export const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };
export const FORBIDDEN: FaultEffect = { status: 403, body: { error: 'Not allowed' } };
/** A 429 with Retry-After. */
export const limited = (seconds: number): FaultEffect => ({ status: 429, headers: { 'retry-after': `${seconds}` } });

export interface Setting {
  triggerOn?: 'one' | 'several' | 'allActive';
  /** The number of forms. Default: 1, or 3 when several are watched. */
  count?: number;
  scheduler?: Scheduler;
  options?: IDataObject;
  output?: string;
  /** Parameters that override those for one form. */
  parameters?: INodeParameters;
  onError?: INode['onError'];
  /** Changes what n8n gives to each poll. */
  prepare?: (context: IPollFunctions) => void;
}

/** The harness of the current test. */
export let harness: TriggerHarness;

/** The IDs of its forms, oldest first. */
export let forms: string[];

let workspaces = 0;

/** A workflow with one trigger on a form of an emulator, and one virtual clock for both. */
class TriggerHarness {
  readonly inserted: string[] = [];
  readonly delivered: string[] = [];
  readonly emulator: Emulator;
  readonly time: VirtualTime;
  readonly formId: string;
  /** Another one in each test, because a process keeps its memory of a workspace by this address. */
  readonly url = `https://workspace-${++workspaces}.neetoform.com`;
  readonly workflow: PollingWorkflow;
  readonly inProcess: ReturnType<typeof inProcessRequests>;
  /** The credentials of this workspace, and of another one, by ID. A test may change them. */
  readonly credentials: Record<'here' | 'another' | 'elsewhere', { baseUrl: string; apiKey: string }>;
  /** The user's choice of forms. */
  private readonly chosen: INodeParameters;
  private readonly setting: Setting;

  constructor(emulator: Emulator, time: VirtualTime, setting: Setting) {
    this.emulator = emulator;
    this.time = time;
    this.setting = setting;
    this.formId = emulator.workspace.addForm({ title: 'Contact' }).id;
    this.chosen = { triggerOn: setting.triggerOn ?? 'one', formIds: [], ...setting.parameters };
    const here = { baseUrl: this.url, apiKey: emulator.apiKey };
    this.credentials = { here, another: here, elsewhere: { ...here, baseUrl: this.url.replace('workspace', 'other') } };
    this.inProcess = inProcessRequests(emulator, time, this.url);
    this.workflow = this.newWorkflow();
  }

  get now(): number {
    return this.time.now;
  }

  /** The size of the static data in bytes. */
  get stateBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.workflow.staticDataOf()));
  }

  /** Adds a submission. @returns its ID */
  insert(input: SubmissionInput = {}, formId = this.formId): string {
    const { id } = this.emulator.workspace.addSubmission(formId, input);
    this.inserted.push(id);
    return id;
  }

  insertMany(count: number, inputOf: (nth: number) => SubmissionInput = () => ({}), formId = this.formId): string[] {
    return Array.from({ length: count }, (_, nth) => this.insert(inputOf(nth), formId));
  }

  /** Submissions until now, `stepMs` apart. @returns their IDs, oldest first */
  insertSpread(count: number, stepMs: number, formId?: string): string[] {
    return this.insertMany(count, (nth) => ({ createdAt: this.now - (count - nth) * stepMs }), formId);
  }

  advance(ms: number): void {
    this.time.advance(ms);
  }

  /** Makes the requests with a matching path fail. Default: all. @returns a function that ends it */
  breakService(effect: FaultEffect, path: string | RegExp = ''): () => void {
    return this.emulator.fail({ when: { path: new RegExp(path), times: Infinity }, with: effect });
  }

  /** The first poll. An error means that n8n doesn't activate the workflow. */
  async activate(...mode: Parameters<PollingWorkflow['activate']>): Promise<PollOutcome> {
    return await this.observe(async () => await this.workflow.activate(...mode));
  }

  async poll(...mode: Parameters<PollingWorkflow['poll']>): Promise<PollOutcome> {
    return await this.observe(async () => await this.workflow.poll(...mode));
  }

  /** @param arrive happens just before the poll */
  async pollNextMinute(arrive?: () => unknown): Promise<PollOutcome> {
    return await this.pollAfter(MINUTE, arrive);
  }

  private async pollAfter(ms: number, arrive?: () => unknown): Promise<PollOutcome> {
    this.advance(ms);
    arrive?.();
    return await this.poll();
  }

  /** Polls every minute until a poll returns nothing. @throws the error of a poll that fails */
  async pollUntilEmpty(maxPolls = 200): Promise<PollOutcome[]> {
    const outcomes: PollOutcome[] = [];
    for (let count = 0; count < maxPolls; count++) {
      outcomes.push(...(await this.pollFor(MINUTE)));
      if (outcomes.at(-1)?.ids === null) return outcomes;
    }
    throw new Error(`${maxPolls} polls were not enough`);
  }

  /** Polls every minute, or so often, for this time. @param arrive happens just before each poll @throws the error of a poll that fails */
  async pollFor(ms: number, arrive?: () => unknown, everyMs = MINUTE): Promise<PollOutcome[]> {
    const outcomes: PollOutcome[] = [];
    const end = this.now + ms;
    while (this.now < end) {
      const outcome = await this.pollAfter(everyMs, arrive);
      if (outcome.error !== undefined) throw outcome.error;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Starts n8n again, with its database and nothing in its memory. Its scheduler does not poll at the start. */
  async restart(): Promise<PollOutcome | undefined> {
    this.workflow.restart();
    return this.workflow.startsFromDatabase ? undefined : await this.activate('init');
  }

  /** Adds an empty form. @returns its ID */
  addForm(): string {
    return this.emulator.workspace.addForm({ title: 'Another' }).id;
  }

  /** Archives the nth form, or restores it. */
  archive(nth: number, isArchived = true): void {
    this.emulator.workspace.updateForm(forms[nth] ?? '', { isArchived });
  }

  /** The user edits the workflow, so that it watches other forms. */
  choose(formIds: string[] | string, triggerOn = 'several'): void {
    const [value = ''] = [formIds].flat();
    const one = triggerOn === 'one' && { formId: { __rl: true, mode: 'id', value } };
    Object.assign(this.chosen, { triggerOn, formIds, ...one });
    this.workflow.change({ parameters: this.parameters() });
  }

  /** The user edits the workflow and publishes it again. @throws what the activation throws */
  async republish(...choice: Parameters<TriggerHarness['choose']>): Promise<string[]> {
    this.choose(...choice);
    const { error, ids } = await this.activate('update');
    if (error !== undefined) throw error;
    return ids ?? [];
  }

  /** Adds a submission to the nth form. @returns its ID */
  submit(nth: number, input: SubmissionInput = {}): string {
    return this.insert(input, forms[nth]);
  }

  /** Adds a submission to each form. @returns their IDs */
  readonly submitToAll = (): string[] => forms.map((_, nth) => this.submit(nth));

  /** The list of forms gives every form this number of submissions. */
  fixCounts(count: number): void {
    this.rewriteList((listed) => listed.map((form) => ({ ...form, submissions_count: count })));
  }

  /** The list of forms lacks these. @returns a function that ends it */
  hideFromList(formIds: string[]): () => void {
    return this.rewriteList((listed) => listed.filter(({ id }) => !formIds.includes(toText(id))));
  }

  /** Polls until late finishers are found, too. Then each of these must have been emitted once, and nothing else. */
  async expectEachOnce(ids: string[] = this.inserted): Promise<void> {
    await this.pollUntilEmpty();
    await this.pollFor(LOOK + MINUTE);
    expect(compare(this.delivered, ids)).toEqual(EACH_ONCE);
  }

  /** The number of delivered submissions of each form. */
  get counts(): number[] {
    const delivered = new Set(this.delivered);
    return forms.map((id) => this.emulator.workspace.submissions(id).filter((row) => delivered.has(row.id)).length);
  }

  newWorkflow(triggers: Array<Partial<TriggerOptions>> = [{}]): PollingWorkflow {
    const { scheduler, onError } = this.setting;
    const defaults = { parameters: this.parameters(), onError };
    return createPollingWorkflow(this.nodeType(), {
      triggers: triggers.map((trigger) => ({ ...defaults, ...trigger })),
      credentials: this.credentials,
      scheduler,
    });
  }

  /** A workflow with a trigger for each form. Their IDs are `node-0`, `node-1` … */
  newWorkflowOfEachForm(): PollingWorkflow {
    const triggerOf = (formId: string, nth: number) => {
      return { id: `node-${nth}`, name: `Trigger ${nth}`, parameters: this.parameters(formId) };
    };
    return this.newWorkflow(forms.map(triggerOf));
  }

  parameters(formId = this.formId): INodeParameters {
    const { options = {}, output = 'raw' } = this.setting;
    return {
      pollTimes: { item: [{ mode: 'everyMinute' }] },
      formId: { __rl: true, mode: 'id', value: formId },
      output,
      options: options as INodeParameters,
      ...this.chosen,
    };
  }

  /** Changes the list of forms. @returns a function that ends it */
  private rewriteList(rewrite: (forms: IDataObject[]) => IDataObject[]): () => void {
    const body = ({ forms: listed = [], total_count: total }: ResponseBody) => {
      const shown = rewrite(listed as IDataObject[]);
      const total_count = Number(total) - listed.length + shown.length;
      return { forms: shown, total_count, pagination: { total_records: total_count } };
    };
    return this.breakService({ rewrite: body }, /\/forms$/);
  }

  private nodeType(): INodeType {
    const { time, inProcess, setting } = this;
    return {
      description: new NeetoFormTrigger().description,
      async poll(this: IPollFunctions) {
        inProcess.install(this);
        setting.prepare?.(this);
        return await time.until(poll(this, time.computer));
      },
    };
  }

  private async observe(act: () => Promise<INodeExecutionData[][] | null>): Promise<PollOutcome> {
    const { emulator, now: started } = this;
    const first = emulator.requests.length;
    const staticDataBefore = this.workflow.staticDataOf();
    let items: INodeExecutionData[] | null = null;
    let error: Error | undefined;
    try {
      items = (await act())?.flat() ?? null;
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    const ids = items?.flatMap(({ json }) => (idOf(json) === '' ? [] : [idOf(json)])) ?? null;
    this.delivered.push(...(ids ?? []));
    return {
      ids,
      items: items ?? [],
      error,
      requests: emulator.requests.slice(first),
      elapsedMs: this.now - started,
      staticDataBefore,
      staticData: this.workflow.staticDataOf(),
    };
  }
}

afterEach(async () => {
  await harness.emulator.close();
});

/** Starts a service and a workflow on it, not active yet. */
export async function begin(setting: Setting = {}): Promise<void> {
  const { triggerOn = 'one', count = triggerOn === 'one' ? 1 : 3 } = setting;
  const time = new VirtualTime(START);
  const emulator = await startEmulator({ clock: { now: () => time.now }, listen: false, isStrict: true });
  harness = new TriggerHarness(emulator, time, setting);
  forms = [harness.formId];
  while (forms.length < count) forms.push(harness.addForm());
  if (triggerOn === 'several') harness.choose(forms);
}

/** Starts a service and an active workflow on it. */
export async function beginActive(setting?: Setting): Promise<void> {
  await begin(setting);
  const { error } = await harness.activate();
  if (error !== undefined) throw error;
}
