import type { IDataObject, INode, INodeExecutionData, INodeParameters, INodeType, IPollFunctions } from 'n8n-workflow';
import type { Emulator, FaultEffect, SubmissionInput } from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import {
  createPollingWorkflow,
  Poller,
  type PollingWorkflow,
  type Scheduler,
  type TriggerOptions,
} from '../support/engine';
import { InProcessRequests } from './inProcess';
import { idOf, MINUTE, type PollOutcome } from './outcome';
import type { VirtualTime } from '../support/virtualTime';

export * from './outcome';

/** A poll, given the clock of n8n's computer. */
export type PollFunction = typeof poll;

export interface HarnessOptions {
  scheduler?: Scheduler;
  /** Default: `http`, a real connection. `inject`: the same routes and key check in this process, where virtual time passes. */
  transport?: 'http' | 'inject';
  /** ms of virtual time that every response takes. */
  latencyMs?: number;
  /** The trigger's options, as the editor names them. */
  options?: IDataObject;
  output?: string;
  /** Parameters that override those for one form. */
  parameters?: INodeParameters;
  apiKey?: string;
  /** The node's On Error setting. */
  onError?: INode['onError'];
  /** What polls. Default: the trigger. */
  polls?: PollFunction;
}

let workspaces = 0;

/** A workflow with one trigger on a form of an emulator, and one virtual clock for both. */
export class TriggerHarness {
  /** All IDs inserted, in order. */
  readonly inserted: string[] = [];
  /** All IDs emitted, in order. */
  readonly delivered: string[] = [];
  readonly emulator: Emulator;
  readonly time: VirtualTime;
  readonly formId: string;
  /** Where the node reaches the service. */
  readonly url: string;
  poller: Poller;
  /** What sends requests without a real connection. */
  readonly inProcess: InProcessRequests;
  private readonly options: HarnessOptions;

  constructor(emulator: Emulator, time: VirtualTime, formId: string, options: HarnessOptions) {
    this.emulator = emulator;
    this.time = time;
    this.formId = formId;
    this.options = options;
    // What a process remembers of a workspace is kept by its address: every test has another.
    this.url = this.isInProcess ? `https://workspace-${++workspaces}.neetoform.com` : emulator.url;
    this.inProcess = new InProcessRequests(emulator, time, this.url);
    this.poller = this.newPoller();
    const { latencyMs = 0 } = options;
    if (latencyMs > 0) emulator.onRequest(() => time.advance(latencyMs));
  }

  get now(): number {
    return this.time.now;
  }

  /** The addresses of the workspaces that the credentials of a workflow are for. */
  get workspaces(): { here: string; elsewhere: string } {
    const { url } = this;
    return {
      here: url,
      elsewhere: this.isInProcess ? url.replace('workspace', 'other') : url.replace('127.0.0.1', 'localhost'),
    };
  }

  /** What the next poll finds: n8n's scheduler starts each poll from the database. */
  get storedStaticData(): IDataObject {
    return this.poller.workflow.startsFromDatabase ? this.poller.savedStaticData : this.poller.staticData;
  }

  /** Bytes that the static data takes in n8n's database. */
  get stateBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.storedStaticData));
  }

  /** @returns the new submission's ID */
  insert(input: SubmissionInput = {}, formId = this.formId): string {
    const { id } = this.emulator.workspace.addSubmission(formId, input);
    this.inserted.push(id);
    return id;
  }

  insertMany(count: number, inputOf: (index: number) => SubmissionInput = () => ({})): string[] {
    return Array.from({ length: count }, (_, index) => this.insert(inputOf(index)));
  }

  /** Submissions of the last minutes, `stepMs` apart. @returns their IDs, oldest first */
  insertSpread(count: number, stepMs: number): string[] {
    return this.insertMany(count, (index) => ({ createdAt: this.now - (count - index) * stepMs }));
  }

  advance(ms: number): void {
    this.time.advance(ms);
  }

  /**
   * Makes every request fail, or those with such a path.
   *
   * @param path a regular expression
   * @returns a function that ends it
   */
  breakService(effect: FaultEffect, path: string | RegExp = ''): () => void {
    return this.emulator.fail({ when: { path: new RegExp(path), times: Infinity }, with: effect });
  }

  /** The first poll. An error means that n8n doesn't activate the workflow. */
  async activate(mode: 'activate' | 'init' | 'update' = 'activate'): Promise<PollOutcome> {
    return await this.observe(async () => await this.poller.activate(mode));
  }

  async poll(...mode: Parameters<Poller['poll']>): Promise<PollOutcome> {
    return await this.observe(async () => await this.poller.poll(...mode));
  }

  /** @param arrive what happens in that minute, just before the poll */
  async pollNextMinute(arrive: () => unknown = () => undefined): Promise<PollOutcome> {
    this.advance(MINUTE);
    arrive();
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

  /**
   * Polls every minute for so long.
   *
   * @param arrive what happens in each minute (0, 1, 2 …), just before its poll
   * @throws the error of a poll that fails
   */
  async pollFor(ms: number, arrive: (minute: number) => unknown = () => undefined): Promise<PollOutcome[]> {
    const outcomes: PollOutcome[] = [];
    const end = this.now + ms;
    for (let minute = 0; this.now < end; minute++) {
      const outcome = await this.pollNextMinute(() => arrive(minute));
      if (outcome.error !== undefined) throw outcome.error;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Starts another process of n8n, which finds this in its database and nothing in its memory. */
  loadDatabase(staticData = this.poller.savedStaticData): void {
    const { workflow, nodeId } = this.poller;
    this.poller = new Poller(workflow.restarted(staticData), nodeId);
  }

  /** n8n stops and starts again. Its scheduler makes no poll of its own then. */
  async restart(): Promise<PollOutcome | undefined> {
    this.loadDatabase();
    return this.poller.workflow.startsFromDatabase ? undefined : await this.activate('init');
  }

  /** The user enters another address in the credential, and publishes nothing. */
  changeAddress(baseUrl: string): void {
    const { apiKey = this.emulator.apiKey } = this.options;
    this.poller.workflow.changeCredential('here', { baseUrl, apiKey });
  }

  /** A workflow of its own with one trigger. */
  newPoller({ staticData, ...options }: Partial<TriggerOptions> & { staticData?: IDataObject } = {}): Poller {
    const names = { id: 'node-under-test', name: 'NeetoForm Trigger' };
    const trigger = { ...names, parameters: this.parameters(), onError: this.options.onError, ...options };
    return new Poller(this.newWorkflow([trigger], staticData), trigger.id);
  }

  /** A workflow with triggers of credential `here`, the default, or `elsewhere`, another workspace. */
  newWorkflow(triggers: TriggerOptions[], staticData: IDataObject = {}): PollingWorkflow {
    const { scheduler = 'memory', apiKey = this.emulator.apiKey } = this.options;
    const { here, elsewhere } = this.workspaces;
    const credentials = {
      here: { baseUrl: here, apiKey },
      another: { baseUrl: here, apiKey },
      elsewhere: { baseUrl: elsewhere, apiKey },
    };
    return createPollingWorkflow(this.nodeType(), { triggers, credentials, scheduler, staticData });
  }

  parameters(formId = this.formId): INodeParameters {
    const { options = {}, output = 'raw', parameters } = this.options;
    return {
      pollTimes: { item: [{ mode: 'everyMinute' }] },
      formId: { __rl: true, mode: 'id', value: formId },
      output,
      options: options as INodeParameters,
      ...parameters,
    };
  }

  private get isInProcess(): boolean {
    return this.options.transport === 'inject';
  }

  private nodeType(): INodeType {
    const { time, isInProcess, inProcess } = this;
    // Over a real connection nothing tells when everything waits.
    const sleep = async (ms: number) => time.advance(ms);
    const computer = isInProcess ? time.computer : { ...time.computer, sleep };
    const { polls = poll } = this.options;
    const { description, methods } = new NeetoFormTrigger();
    return {
      description,
      methods,
      async poll(this: IPollFunctions) {
        if (!isInProcess) return await polls(this, computer);
        inProcess.install(this);
        return await time.until(polls(this, computer));
      },
    };
  }

  /** Does something that polls, and tells what happened. */
  private async observe(act: () => Promise<INodeExecutionData[][] | null>): Promise<PollOutcome> {
    const { emulator } = this;
    const first = emulator.requests.length;
    const rowsBefore = this.inProcess.rows;
    const started = this.now;
    const staticDataBefore = this.storedStaticData;
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
      rows: this.inProcess.rows - rowsBefore,
      elapsedMs: this.now - started,
      staticDataBefore,
      staticData: this.storedStaticData,
    };
  }
}
