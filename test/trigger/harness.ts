import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  IDataObject,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IPollFunctions,
} from 'n8n-workflow';
import { jsonParse, NodeApiError } from 'n8n-workflow';
import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import {
  startEmulator,
  type Delivery,
  type Emulator,
  type RequestRecord,
  type SubmissionInput,
} from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import type { Cursor } from '../../nodes/NeetoForm/polling/cursor';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import type { TriggerState } from '../../nodes/NeetoForm/polling/triggerState';
import { createPollingWorkflow, type Poller, type PollingWorkflow, type TriggerOptions } from '../support/engine';
import { readState } from './state';
import { createVirtualClock, type VirtualClock } from './virtualClock';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** ms; the default look-back. */
export const LOOKBACK = 15 * MINUTE;

/** When every test begins. */
export const START = Date.UTC(2026, 2, 1, 12, 0, 0);

/** A poll, given the clock of n8n's computer. */
export type PollFunction = typeof poll;

/** Sees every request of the node before it is sent. */
export type Transport = (
  options: IHttpRequestOptions,
  send: (options: IHttpRequestOptions) => Promise<unknown>,
) => Promise<unknown>;

export interface HarnessOptions {
  scheduler?: 'memory' | 'durable';
  /** Default: `http`, a real connection. `inject`: the same routes and key check in this process, where virtual time passes. */
  transport?: 'http' | 'inject';
  /** ms of virtual time that every response takes. */
  latencyMs?: number;
  /** Where the service's files redirect to. */
  objectStoreUrl?: string;
  /** The trigger's options, as the editor names them. */
  options?: IDataObject;
  output?: string;
  /** Parameters that override those for one form. */
  parameters?: INodeParameters;
  apiKey?: string;
  /** An emulator that several harnesses share; `close` then leaves it running. */
  emulator?: Emulator;
  /** Must be the emulator's clock when an emulator is given that runs on a virtual one. */
  clock?: VirtualClock;
  /** The node's On Error setting. */
  onError?: INode['onError'];
  /** ms that n8n gives a poll. */
  pollBudgetMs?: number;
  /** What polls. Default: the trigger. */
  polls?: PollFunction;
}

/** What one poll did. */
export interface PollOutcome {
  /** IDs emitted; null when the poll returned nothing. */
  ids: string[] | null;
  items: INodeExecutionData[];
  error: Error | undefined;
  requests: RequestRecord[];
  /** ms of virtual time. */
  elapsedMs: number;
  staticDataBefore: IDataObject;
  staticData: IDataObject;
}

/** Without a real connection: another workspace's address, with the same forms. */
const OTHER_WORKSPACE = 'https://other.neetoform.com';

/** ms of silence after which n8n gives up a request without a timeout of its own. */
const N8N_TIMEOUT_MS = 300 * SECOND;

/** ms after which a response without an end is over, so that a poll that never aborts it fails its test. */
const ENDLESS_MS = 24 * HOUR;

let workspaces = 0;

/** An emulator with one form, a workflow with one trigger on it, and one virtual clock for both. */
export class TriggerHarness {
  /** ms by which the clock of n8n's computer differs from the service's. */
  localSkew = 0;
  /** All IDs inserted, in order. */
  readonly inserted: string[] = [];
  /** All IDs emitted, in order. */
  readonly delivered: string[] = [];
  readonly emulator: Emulator;
  /** Other origins that have the emulator's files, only without a real connection. */
  readonly fileServers = new Set<string>();
  readonly clock: VirtualClock;
  readonly formId: string;
  /** Where the node reaches the service. */
  readonly url: string;
  poller: Poller;
  /** Only without a real connection. */
  transport: Transport = async (options, send) => await send(options);
  private readonly options: HarnessOptions;
  private readonly stopLatency: () => void;
  /** Requests without a connection that have no response yet. */
  private underWay = 0;
  /** Requests that wait for virtual time to pass, and the end of its current step. */
  private readonly waiting = new Set<IHttpRequestOptions>();
  private step: Promise<void> | undefined;

  constructor(emulator: Emulator, clock: VirtualClock, formId: string, options: HarnessOptions) {
    this.emulator = emulator;
    this.clock = clock;
    this.formId = formId;
    this.options = options;
    // What a process remembers of a workspace is kept by its address: every test has another.
    this.url = this.isInProcess ? `https://workspace-${++workspaces}.neetoform.com` : emulator.url;
    this.poller = this.newPoller();
    const { latencyMs = 0 } = options;
    this.stopLatency = latencyMs === 0 ? () => undefined : emulator.onRequest(() => clock.advance(latencyMs));
  }

  get now(): number {
    return this.clock.now();
  }

  /** The addresses of the workspaces that the credentials of a workflow are for. */
  get workspaces(): { here: string; elsewhere: string } {
    const { url } = this;
    return { here: url, elsewhere: this.isInProcess ? OTHER_WORKSPACE : url.replace('127.0.0.1', 'localhost') };
  }

  /** What the next poll would continue from. */
  get state(): TriggerState | undefined {
    return readState(this.storedStaticData, this.poller.node, this.url);
  }

  /** What the next poll would continue from in the harness's own form. */
  get cursor(): Cursor | undefined {
    return this.state?.forms.get(this.formId)?.cursor;
  }

  /** What the next poll finds: the durable scheduler starts each poll from the database. */
  get storedStaticData(): IDataObject {
    return this.options.scheduler === 'durable' ? this.poller.savedStaticData : this.poller.staticData;
  }

  /** Bytes that the static data takes in n8n's database. */
  get stateBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.poller.staticData));
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
    this.clock.advance(ms);
  }

  /** The first poll. An error means that n8n doesn't activate the workflow. */
  async activate(mode: 'activate' | 'init' = 'activate'): Promise<PollOutcome> {
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
    this.poller = workflow.restarted(staticData).trigger(nodeId);
  }

  /** n8n stops and starts again. The durable scheduler makes no poll of its own then. */
  async restart(): Promise<PollOutcome | undefined> {
    this.loadDatabase();
    return this.options.scheduler === 'durable' ? undefined : await this.activate('init');
  }

  async close(): Promise<void> {
    this.stopLatency();
    if (this.options.emulator === undefined) await this.emulator.close();
  }

  /** A workflow of its own with one trigger. */
  newPoller({ staticData, ...options }: Partial<TriggerOptions> & { staticData?: IDataObject } = {}): Poller {
    const names = { id: 'node-under-test', name: 'NeetoForm Trigger' };
    const trigger = { ...names, parameters: this.parameters(), onError: this.options.onError, ...options };
    return this.newWorkflow([trigger], staticData).trigger(trigger.id);
  }

  /** A workflow with triggers of credential `here`, the default, or `elsewhere`, another workspace. */
  newWorkflow(triggers: TriggerOptions[], staticData: IDataObject = {}): PollingWorkflow {
    const { scheduler = 'memory', pollBudgetMs, apiKey = this.emulator.apiKey } = this.options;
    const { here, elsewhere } = this.workspaces;
    const credentials = { here: { baseUrl: here, apiKey }, elsewhere: { baseUrl: elsewhere, apiKey } };
    return createPollingWorkflow(this.nodeType(), { triggers, credentials, scheduler, staticData, pollBudgetMs });
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
    const { clock, isInProcess } = this;
    const computer = {
      now: () => clock.now() + this.localSkew,
      sleep: async (ms: number) => {
        clock.advance(ms);
      },
      timeout: (ms: number) => clock.timeout(ms),
    };
    const sendInProcess = async (options: IHttpRequestOptions) =>
      await this.transport(options, async (signed) => await this.inject(signed));
    const openFile = async (options: IHttpRequestOptions) => await this.openFile(options);
    const { polls = poll } = this.options;
    const { description, methods } = new NeetoFormTrigger();
    return {
      description,
      methods,
      async poll(this: IPollFunctions) {
        if (isInProcess) {
          Object.assign(this.helpers, {
            httpRequestWithAuthentication: signedBy(sendInProcess),
            httpRequest: openFile,
          });
        }
        return await polls(this, computer);
      },
    };
  }

  /** Sends a request without a connection, in virtual time. @throws what n8n's request helper throws */
  private async inject(options: IHttpRequestOptions): Promise<unknown> {
    const target = new URL(options.url, options.baseURL);
    if (!target.hostname.endsWith('.neetoform.com')) throw new Error(`Another host was called: ${target.origin}`);
    for (const [name, value] of Object.entries(options.qs ?? {})) target.searchParams.set(name, toText(value));
    const headers = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name, toText(value)]),
    );
    const { body, ...response } = await this.ask({ url: target.pathname + target.search, headers }, options);
    await this.receive(options, response);
    // As n8n's request helper does it: text that is not JSON stays text.
    return { ...response, body: jsonParse<unknown>(body, { fallbackValue: body }) };
  }

  /** Lets virtual time pass until a response has arrived, is given up or is aborted. */
  private async receive(options: IHttpRequestOptions, { silentMs, totalMs }: Delivery): Promise<void> {
    const { timeout = N8N_TIMEOUT_MS } = options;
    // n8n's own timeout only notices that nothing arrives.
    const isSilent = silentMs > timeout;
    await this.pass(isSilent ? timeout : totalMs, options);
    if (isSilent) throw codedError('timeout exceeded', 'ECONNABORTED');
  }

  /** Opens a file without a connection. @throws what n8n's request helper throws */
  private async openFile(options: IHttpRequestOptions): Promise<unknown> {
    const { origin, pathname } = new URL(options.url);
    // A redirect may lead to any public host: none of the others has the file.
    if (origin !== this.url && !this.fileServers.has(origin))
      return { statusCode: 404, headers: {}, body: Readable.from([]) };
    const { statusCode, headers, body, ...delivery } = await this.ask({ url: pathname }, options);
    if (delivery.silentMs === Infinity) await this.pass(ENDLESS_MS, options);
    return { statusCode, headers, body: Readable.from(this.piecesOf(Buffer.from(body), delivery, options)) };
  }

  private async ask(request: Parameters<Emulator['inject']>[0], options: IHttpRequestOptions) {
    this.underWay++;
    try {
      // Without a real connection nothing would ever wait, so that no other poll could run meanwhile.
      await nextTurn();
      throwIfAborted(options);
      return await this.emulator.inject(request);
    } finally {
      this.underWay--;
    }
  }

  private async *piecesOf(body: Buffer, { silentMs, totalMs }: Delivery, options: IHttpRequestOptions) {
    const count = silentMs === 0 ? 1 : Math.ceil(totalMs / silentMs);
    const size = Math.ceil(body.length / count);
    for (let piece = 0; piece < count; piece++) {
      await this.pass(silentMs, options);
      yield body.subarray(piece * size, (piece + 1) * size);
    }
  }

  /** Lets virtual time pass, unless the request is aborted before. @throws what n8n's request helper throws then */
  private async pass(ms: number, options: IHttpRequestOptions): Promise<void> {
    const end = this.clock.timeout(Math.min(ms, ENDLESS_MS));
    this.waiting.add(options);
    while (options.abortSignal?.aborted !== true && !end.aborted) await (this.step ??= this.passStep());
    this.waiting.delete(options);
    throwIfAborted(options);
  }

  /** Lets time pass to what comes next of all that anybody waits for, as soon as all is done that takes no time. */
  private async passStep(): Promise<void> {
    do await nextTurn();
    while (this.underWay > 0);
    this.step = undefined;
    const isAwaited = [...this.waiting].some(({ abortSignal }) => abortSignal?.aborted !== true);
    if (isAwaited) this.clock.set(this.clock.nextTimeout ?? this.now);
  }

  /** Does something that polls, and tells what happened. */
  private async observe(act: () => Promise<INodeExecutionData[][] | null>): Promise<PollOutcome> {
    const { emulator } = this;
    const first = emulator.requests.length;
    const started = this.now;
    const staticDataBefore = this.storedStaticData;
    let items: INodeExecutionData[] | null = null;
    let error: Error | undefined;
    try {
      items = (await act())?.flat() ?? null;
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    const ids = items?.flatMap(({ json }) => (json.id === undefined ? [] : [idOf(json)])) ?? null;
    this.delivered.push(...(ids ?? []));
    return {
      ids,
      items: items ?? [],
      error,
      requests: emulator.requests.slice(first),
      elapsedMs: this.now - started,
      staticDataBefore,
      staticData: this.storedStaticData,
    };
  }
}

/** Starts a service with one empty form and a workflow on it, not active yet. */
export async function createHarness(options: HarnessOptions = {}): Promise<TriggerHarness> {
  const clock = options.clock ?? createVirtualClock(START);
  const { objectStoreUrl, transport } = options;
  const service = { clock, listen: transport !== 'inject', recordBodies: false, objectStoreUrl };
  const emulator = options.emulator ?? (await startEmulator(service));
  return new TriggerHarness(emulator, clock, emulator.workspace.addForm({ title: 'Contact' }).id, options);
}

/** What differs from "each of these once, and nothing else". */
export function compare(
  delivered: string[],
  expected: string[],
): { lost: number; repeated: number; unexpected: number } {
  const [given, wanted] = [new Set(delivered), new Set(expected)];
  return {
    lost: expected.filter((id) => !given.has(id)).length,
    repeated: delivered.length - given.size,
    unexpected: [...given].filter((id) => !wanted.has(id)).length,
  };
}

export const EACH_ONCE = { lost: 0, repeated: 0, unexpected: 0 };

/** The ID of an item. @throws when it has none */
export function idOf({ id }: IDataObject): string {
  return toText(id);
}

export function idsOf(outcomes: PollOutcome[]): string[] {
  return outcomes.flatMap(({ ids }) => ids ?? []);
}

/** The paths of the requests, below the API's own. */
export function pathsOf({ requests }: PollOutcome): string[] {
  return requests.map(({ path }) => path.replace('/api/external/v2/', ''));
}

/** Static data without the empty objects that n8n makes for who reads them. */
export function substance(staticData: IDataObject): Array<[key: string, value: unknown]> {
  return Object.entries(staticData).filter(([, value]) => JSON.stringify(value) !== '{}');
}

/** n8n's cause of a failed poll, for its scheduler. */
export function causeOf(error: Error | undefined): string | undefined {
  return error instanceof NodeApiError ? error.failure?.cause : undefined;
}

export function codedError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

function throwIfAborted({ abortSignal }: IHttpRequestOptions): void {
  if (abortSignal?.aborted === true) throw codedError('canceled', 'ERR_CANCELED');
}

function signedBy(send: (options: IHttpRequestOptions) => Promise<unknown>) {
  return async function (this: IPollFunctions, type: string, options: IHttpRequestOptions): Promise<unknown> {
    const { authenticate } = new NeetoFormApi();
    if (typeof authenticate !== 'function') throw new Error('The credential signs by a function');
    return await send(await authenticate(await this.getCredentials(type), options));
  };
}

function toText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new Error(`Neither text nor number: ${JSON.stringify(value)}`);
}
