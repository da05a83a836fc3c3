import { setImmediate as putOff } from 'node:timers/promises';
import type { IDataObject, IHttpRequestOptions, INodeParameters, INodeType, IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { InjectOptions } from 'fastify';
import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import {
  createClock,
  startEmulator,
  type Clock,
  type Emulator,
  type RequestRecord,
  type SubmissionInput,
} from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import { createPoller, type Poller, type PollOverrides } from '../support/engine';
import { keptState, type KeptState } from './state';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Where every schedule begins. */
export const START = Date.UTC(2026, 2, 1, 12, 0, 0);

export interface WorldOptions {
  scheduler?: 'memory' | 'durable';
  /** `http`: a real connection. `inject`: the same routes and the same key check, called in this process. */
  transport?: 'http' | 'inject';
  /** ms of virtual time that every answer takes. */
  latencyMs?: number;
  /** The trigger's options, as the editor names them. */
  options?: IDataObject;
  output?: string;
  formId?: string;
  /** Parameters that take the place of those for one form. */
  parameters?: INodeParameters;
  apiKey?: string;
  /** An emulator that several worlds share; `close` then leaves it running. */
  emulator?: Emulator;
  /** ms that n8n gives a poll. */
  pollBudgetMs?: number;
  /** What polls; default: the trigger. */
  polls?: PollFunction;
}

/** What one poll did. */
export interface PollOutcome {
  /** Ids handed out; null when the poll gave no items. */
  ids: string[] | null;
  items: IDataObject[];
  error: Error | undefined;
  /** What it asked. */
  requests: RequestRecord[];
  /** ms on the computer's clock. */
  elapsedMs: number;
  staticDataBefore: IDataObject;
  staticData: IDataObject;
}

/** A way to poll, with the computer's clock. */
export type PollFunction = typeof poll;

/** Stands in for what n8n sends a request with. */
export type Transport = (
  options: IHttpRequestOptions,
  send: (options: IHttpRequestOptions) => Promise<unknown>,
) => Promise<unknown>;

/** Where the service is when there is no real connection. */
const WORKSPACE = 'https://acme.neetoform.com';

let processes = 0;

const TIMES = { item: [{ mode: 'everyMinute' }] };

/** A form at the service, one workflow that waits for its submissions, and one time for both. */
export class World {
  /** ms that the clock of n8n's computer differs from the service's. */
  localSkew = 0;
  /** All ids handed out, in order. */
  readonly delivered: string[] = [];
  readonly emulator: Emulator;
  readonly formId: string;
  poller: Poller;
  /** Stands between the node and the service; only without a real connection. */
  transport: Transport = async (options, send) => await send(options);
  private readonly options: WorldOptions;

  constructor(emulator: Emulator, formId: string, options: WorldOptions) {
    this.emulator = emulator;
    this.formId = formId;
    this.options = options;
    this.poller = this.newPoller();
    if (options.latencyMs !== undefined)
      this.tick = emulator.onRequest(() => emulator.clock.advance(options.latencyMs ?? 0));
  }

  private readonly tick: () => void = () => undefined;

  get clock(): Clock {
    return this.emulator.clock;
  }

  /** Where the node reaches the service. */
  get url(): string {
    return this.options.transport === 'inject' ? WORKSPACE : this.emulator.url;
  }

  get now(): number {
    return this.clock.now();
  }

  /** What the trigger would go on from. */
  get state(): KeptState | undefined {
    return keptState(this.kept, this.poller.node, this.formId);
  }

  /** What the next poll finds: the durable scheduler begins each from the database. */
  get kept(): IDataObject {
    return this.options.scheduler === 'durable' ? this.poller.savedStaticData : this.poller.staticData;
  }

  /** Bytes the state takes in n8n's database. */
  get stateBytes(): number {
    return Buffer.byteLength(JSON.stringify(this.poller.staticData));
  }

  /** @returns the new submission's id */
  insert(input: SubmissionInput = {}): string {
    return this.emulator.workspace.addSubmission(this.formId, input).id;
  }

  insertMany(count: number, inputOf: (index: number) => SubmissionInput): string[] {
    return Array.from({ length: count }, (_, index) => this.insert(inputOf(index)));
  }

  advance(ms: number): void {
    this.clock.advance(ms);
  }

  /** @returns what the activation did; a throw means that n8n does not activate the workflow */
  async activate(mode: 'activate' | 'init' = 'activate'): Promise<PollOutcome> {
    return await this.watch(async () => await this.poller.activate(mode));
  }

  async poll(over: PollOverrides = {}): Promise<PollOutcome> {
    return await this.watch(async () => await this.poller.poll(over));
  }

  /** Polls every minute until one gives nothing. */
  async drain(most = 200): Promise<PollOutcome[]> {
    const outcomes: PollOutcome[] = [];
    for (let count = 0; count < most; count++) {
      this.advance(MINUTE);
      const outcome = await this.poll();
      if (outcome.error !== undefined) throw outcome.error;
      outcomes.push(outcome);
      if (outcome.ids === null) return outcomes;
    }
    throw new Error('The polls never come to an end');
  }

  /** Another process of n8n finds this in its database, and nothing in its memory. */
  rise(staticData: IDataObject): void {
    this.poller = this.newPoller({}, { name: this.poller.node.name });
    this.poller.staticData = staticData;
  }

  /** n8n stops and comes up again. The durable scheduler makes no poll of its own then. */
  async restart(): Promise<PollOutcome | undefined> {
    this.rise(this.poller.savedStaticData);
    return this.options.scheduler === 'durable' ? undefined : await this.activate('init');
  }

  async close(): Promise<void> {
    this.tick();
    if (this.options.emulator === undefined) await this.emulator.close();
  }

  /** A workflow of its own on the same form, with the static data given. */
  newPoller(
    staticData: IDataObject = {},
    over: { formId?: string; url?: string; apiKey?: string; name?: string } = {},
  ): Poller {
    const { emulator, options } = this;
    return createPoller(this.nodeType(), {
      credentials: { baseUrl: over.url ?? this.url, apiKey: over.apiKey ?? options.apiKey ?? emulator.apiKey },
      parameters: this.parameters(over.formId),
      // What the trigger keeps in its process is kept by workflow.
      workflowId: `workflow-${++processes}`,
      scheduler: options.scheduler ?? 'memory',
      staticData,
      pollBudgetMs: options.pollBudgetMs,
      ...(over.name !== undefined && { nodeName: over.name }),
    });
  }

  parameters(formId = this.formId): INodeParameters {
    const { options = {}, output = 'raw', parameters } = this.options;
    return {
      pollTimes: TIMES,
      formId: { __rl: true, mode: 'id', value: formId },
      output,
      options: options as INodeParameters,
      ...parameters,
    };
  }

  private nodeType(): INodeType {
    const { clock } = this;
    const computer = {
      now: () => clock.now() + this.localSkew,
      sleep: async (ms: number) => {
        clock.advance(ms);
      },
      timeout: () => new AbortController().signal,
    };
    const sendInProcess = async (options: IHttpRequestOptions) =>
      await this.transport(options, async (signed) => await inject(this.emulator, signed));
    const { polls = poll, transport } = this.options;
    const isInProcess = transport === 'inject';
    const { description, methods } = new NeetoFormTrigger();
    return {
      description,
      methods,
      async poll(this: IPollFunctions) {
        if (isInProcess) Object.assign(this.helpers, { httpRequestWithAuthentication: signedBy(sendInProcess) });
        return await polls(this, computer);
      },
    };
  }

  private async watch(act: () => Promise<Array<Array<{ json: IDataObject }>> | null>): Promise<PollOutcome> {
    const { emulator } = this;
    const first = emulator.requests.length;
    const started = this.now;
    const staticDataBefore = this.kept;
    let items: IDataObject[] | null = null;
    let error: Error | undefined;
    try {
      items = (await act())?.flat().map(({ json }) => json) ?? null;
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    const ids = items?.map(({ id }) => text(id)) ?? null;
    this.delivered.push(...(ids ?? []));
    return {
      ids,
      items: items ?? [],
      error,
      requests: emulator.requests.slice(first),
      elapsedMs: this.now - started,
      staticDataBefore,
      staticData: this.kept,
    };
  }
}

/** Starts a service with one empty form and a workflow on it, not active yet. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createClock(START);
  const emulator =
    options.emulator ?? (await startEmulator({ clock, listen: options.transport !== 'inject', recordBodies: false }));
  const form = emulator.workspace.addForm({ title: 'Contact' });
  return new World(emulator, options.formId ?? form.id, options);
}

/** What differs from "each of these once, and nothing else". */
export function account(
  delivered: string[],
  expected: string[],
): { lost: number; repeated: number; uninvited: number } {
  const [given, wanted] = [new Set(delivered), new Set(expected)];
  return {
    lost: expected.filter((id) => !given.has(id)).length,
    repeated: delivered.length - given.size,
    uninvited: [...given].filter((id) => !wanted.has(id)).length,
  };
}

export const EACH_ONCE = { lost: 0, repeated: 0, uninvited: 0 };

/** The queries of the requests for submissions. */
export function asked({ requests }: PollOutcome): Array<Record<string, string>> {
  return requests.map(({ query }) => query);
}

/** n8n's cause of a failed poll, for its scheduler. */
export function causeOf(error: Error | undefined): string | undefined {
  return error instanceof NodeApiError ? error.failure?.cause : undefined;
}

function signedBy(send: (options: IHttpRequestOptions) => Promise<unknown>) {
  return async function (this: IPollFunctions, type: string, options: IHttpRequestOptions): Promise<unknown> {
    const { authenticate } = new NeetoFormApi();
    if (typeof authenticate !== 'function') throw new Error('The credential signs by a function');
    return await send(await authenticate(await this.getCredentials(type), options));
  };
}

async function inject({ app }: Emulator, options: IHttpRequestOptions): Promise<unknown> {
  const target = new URL(options.url, options.baseURL);
  if (target.origin !== WORKSPACE) throw new Error(`Another host was called: ${target.origin}`);
  for (const [name, value] of Object.entries(options.qs ?? {})) target.searchParams.set(name, text(value));
  const headers = Object.fromEntries(Object.entries(options.headers ?? {}).map(([name, value]) => [name, text(value)]));
  // Without a real connection nothing would ever wait: no other poll could run, and what Node puts off until then would pile up.
  await putOff();
  const request: InjectOptions = { method: 'GET', url: target.pathname + target.search, headers };
  const { statusCode, headers: answered, body } = await app.inject(request);
  return { statusCode, headers: answered, body: parsed(body) };
}

function text(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new Error(`Neither text nor number: ${JSON.stringify(value)}`);
}

/** As n8n's request helper does it: text that is no JSON stays text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
