import type { IDataObject, INode, INodeParameters, INodeType, IPollFunctions } from 'n8n-workflow';
import {
  startEmulator,
  type Emulator,
  type FaultEffect,
  type QuestionInput,
  type ResponseBody,
  type SubmissionInput,
} from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import {
  createPollingWorkflow,
  type PollingWorkflow,
  type PollResult,
  type Scheduler,
  type TriggerOptions,
} from '../support/engine';
import { VirtualTime } from '../support/virtualTime';
import { inProcessRequests } from './inProcess';
import { compare, EACH_ONCE, idOf, LOOK, MINUTE, START, toText, type PollOutcome } from './outcome';

export const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };
export const FORBIDDEN: FaultEffect = { status: 403, body: { error: 'Not allowed' } };
/** A 429 with Retry-After. */
export const limited = (seconds: number): FaultEffect => ({ status: 429, headers: { 'retry-after': `${seconds}` } });

/** What a test begins with. */
export interface Setting {
  triggerOn?: 'one' | 'several' | 'allActive';
  /** The number of forms. Default: 1, or 3 when several are watched. */
  count?: number;
  /** Of each form. Default: none. */
  questions?: QuestionInput[];
  /** How n8n stores what the trigger remembers. Default: `memory`. */
  scheduler?: Scheduler;
  options?: IDataObject;
  /** Default: `raw`. */
  output?: string;
  /** Parameters that override those for one form. */
  parameters?: INodeParameters;
  onError?: INode['onError'];
  /** Changes what n8n gives to each poll. */
  prepare?: (context: IPollFunctions) => void;
}

/** A submission to add. */
export interface NewSubmission extends SubmissionInput {
  /** The number of the form, oldest first, or its ID. Default: the first one. */
  form?: number | string;
}

/** Lets each test of the file begin a workflow with one trigger. @param defaults what all tests of the file begin with */
export function useTrigger(defaults: Setting = {}): TriggerHarness {
  const harness = new TriggerHarness(defaults);
  jest.setTimeout(60_000);
  afterEach(async () => await harness.emulator.close());
  return harness;
}

let workspaces = 0;

/** A workflow with one trigger on forms of an emulator, and one virtual clock for both. All of it is new in each test, which calls `begin` or `beginActive` first. */
class TriggerHarness {
  private readonly defaults: Setting;
  private setting!: Setting;
  emulator!: Emulator;
  time!: VirtualTime;
  workflow!: PollingWorkflow;
  inProcess!: ReturnType<typeof inProcessRequests>;
  /** The address of the workspace. */
  url!: string;
  /** The IDs of the forms, oldest first. */
  forms!: string[];
  /** The IDs that `submit` and the methods beside it have added. */
  submitted!: string[];
  /** The IDs that the polls have returned. */
  delivered!: string[];
  /** The credentials of this workspace, and of another one, by ID. A test may change them. */
  credentials!: Record<'here' | 'another' | 'elsewhere', { baseUrl: string; apiKey: string }>;
  /** The user's choice of forms. */
  private chosen!: INodeParameters;

  constructor(defaults: Setting) {
    this.defaults = defaults;
  }

  /** Starts a service with forms, and a workflow that is not active yet. */
  async begin(setting: Setting = {}): Promise<void> {
    this.setting = { ...this.defaults, ...setting };
    const { triggerOn = 'one', count = triggerOn === 'one' ? 1 : 3, parameters } = this.setting;
    const time = (this.time = new VirtualTime(START));
    this.emulator = await startEmulator({ clock: { now: () => time.now }, listen: false, isStrict: true });
    // Another one in each test, because a process keeps its memory of a workspace by this address.
    this.url = `https://workspace-${++workspaces}.neetoform.com`;
    const here = { baseUrl: this.url, apiKey: this.emulator.apiKey };
    this.credentials = { here, another: here, elsewhere: { ...here, baseUrl: this.url.replace('workspace', 'other') } };
    this.inProcess = inProcessRequests(this.emulator, time, this.url);
    Object.assign(this, { forms: [this.addForm('Contact')], submitted: [], delivered: [] });
    while (this.forms.length < count) this.forms.push(this.addForm());
    this.chosen = { triggerOn, formIds: triggerOn === 'several' ? this.forms : [], ...parameters };
    this.workflow = this.newWorkflow();
  }

  /** Starts a service with forms, and an active workflow. */
  async beginActive(setting?: Setting): Promise<void> {
    await this.begin(setting);
    const { error } = await this.activate();
    if (error !== undefined) throw error;
  }

  /** The ID of the first form. */
  get formId(): string {
    return this.idOfForm(0);
  }

  get now(): number {
    return this.time.now;
  }

  advance(ms: number): void {
    this.time.advance(ms);
  }

  /** Adds a submission, which `expectEachOnce` will ask for. @returns its ID */
  submit({ form = 0, ...input }: NewSubmission = {}): string {
    const { id } = this.emulator.workspace.addSubmission(this.idOfForm(form), input);
    this.submitted.push(id);
    return id;
  }

  submitMany(count: number, inputOf: (nth: number) => NewSubmission = () => ({})): string[] {
    return Array.from({ length: count }, (_, nth) => this.submit(inputOf(nth)));
  }

  /** Adds submissions until now, `stepMs` apart. @returns their IDs, oldest first */
  submitSpread(count: number, stepMs: number, form?: NewSubmission['form']): string[] {
    return this.submitMany(count, (nth) => ({ form, createdAt: this.now - (count - nth) * stepMs }));
  }

  /** Adds a submission to each form. @returns their IDs */
  readonly submitToAll = (input: SubmissionInput = {}): string[] =>
    this.forms.map((form) => this.submit({ ...input, form }));

  /** The first poll. An error means that n8n doesn't activate the workflow. */
  async activate(...mode: Parameters<PollingWorkflow['activate']>): Promise<PollOutcome> {
    return await this.observe(async () => await this.workflow.activate(...mode));
  }

  /** Polls once, now. */
  async poll(...mode: Parameters<PollingWorkflow['poll']>): Promise<PollOutcome> {
    return await this.observe(async () => await this.workflow.poll(...mode));
  }

  /** Polls once, a minute later. @param arrive happens just before the poll */
  async pollNextMinute(arrive?: () => unknown): Promise<PollOutcome> {
    return await this.pollAfter(MINUTE, arrive);
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

  /** Polls every minute until a poll returns nothing. @throws the error of a poll that fails */
  async pollUntilEmpty(maxPolls = 200): Promise<PollOutcome[]> {
    const outcomes: PollOutcome[] = [];
    for (let count = 0; count < maxPolls; count++) {
      outcomes.push(...(await this.pollFor(MINUTE)));
      if (outcomes.at(-1)?.ids === null) return outcomes;
    }
    throw new Error(`${maxPolls} polls were not enough`);
  }

  /** Polls until late finishers are found, too. Then each of these must have been emitted once, and nothing else. */
  async expectEachOnce(ids: string[] = this.submitted): Promise<void> {
    await this.pollUntilEmpty();
    await this.pollFor(LOOK + MINUTE);
    expect(compare(this.delivered, ids)).toEqual(EACH_ONCE);
  }

  /** Polls as the editor does. What it shows does not count as delivered. */
  async fetchTestEvent(): Promise<PollOutcome> {
    return await this.observe(async () => await this.workflow.poll({ mode: 'manual' }), []);
  }

  /** Makes the requests with a matching path fail. Default: all. @returns a function that ends it */
  breakService(effect: FaultEffect, path: string | RegExp = ''): () => void {
    return this.emulator.fail({ when: { path: new RegExp(path), times: Infinity }, with: effect });
  }

  /** Starts n8n again, with its database and nothing in its memory. Its scheduler does not poll at the start. */
  async restart(): Promise<PollOutcome | undefined> {
    this.workflow.restart();
    return this.workflow.startsFromDatabase ? undefined : await this.activate('init');
  }

  /** Adds an empty form, which is not one of `forms`. @returns its ID */
  addForm(title = 'Another'): string {
    return this.emulator.workspace.addForm({ title, questions: this.setting.questions }).id;
  }

  /** Archives the nth form, or restores it. */
  archive(nth: number, isArchived = true): void {
    this.emulator.workspace.updateForm(this.idOfForm(nth), { isArchived });
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

  /** The list of forms gives every form this number of submissions. */
  fixCounts(count: number): void {
    this.rewriteList((listed) => listed.map((form) => ({ ...form, submissions_count: count })));
  }

  /** The list of forms lacks these. @returns a function that ends it */
  hideFromList(formIds: string[]): () => void {
    return this.rewriteList((listed) => listed.filter(({ id }) => !formIds.includes(toText(id))));
  }

  /** The number of delivered submissions of each form. */
  get counts(): number[] {
    const delivered = new Set(this.delivered);
    const rowsOf = (id: string) => this.emulator.workspace.submissions(id);
    return this.forms.map((id) => rowsOf(id).filter((row) => delivered.has(row.id)).length);
  }

  /** The size of the static data in bytes. */
  get stateBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.workflow.staticDataOf()));
  }

  /** Another workflow in the same n8n. What its polls return does not count as delivered. */
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
    return this.newWorkflow(this.forms.map(triggerOf));
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

  private idOfForm(form: number | string): string {
    return typeof form === 'string' ? form : (this.forms[form] ?? '');
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

  private async pollAfter(ms: number, arrive?: () => unknown): Promise<PollOutcome> {
    this.advance(ms);
    arrive?.();
    return await this.poll();
  }

  /** @param delivered the list of IDs to add to */
  private async observe(act: () => Promise<PollResult>, delivered = this.delivered): Promise<PollOutcome> {
    const { emulator, now: started } = this;
    const first = emulator.requests.length;
    const staticDataBefore = this.workflow.staticDataOf();
    let result: PollResult = null;
    let error: Error | undefined;
    try {
      result = await act();
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    const [items = []] = result ?? [];
    const ids = result && items.map(({ json }) => idOf(json)).filter((id) => id !== '');
    delivered.push(...(ids ?? []));
    return {
      ids,
      items,
      outputs: result?.map((output) => output.map(({ json }) => json)) ?? null,
      error,
      requests: emulator.requests.slice(first),
      elapsedMs: this.now - started,
      staticDataBefore,
      staticData: this.workflow.staticDataOf(),
    };
  }
}
