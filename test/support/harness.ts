import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeExecutionData,
  INodeListSearchResult,
  INodeParameters,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
  type Emulator,
  type EmulatorOptions,
  type Form,
  type MemberInput,
  type RequestRecord,
  startEmulator,
  type SubmissionInput,
} from '../../emulator/index.ts';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import {
  askInEditor,
  clearLog,
  createPollingWorkflow,
  deepText,
  loggedText,
  runNode,
  type EditorOptions,
  type RunOptions,
} from './engine';

/** Nothing else reads like this API key, so that any trace of it is found. */
export const KEY = 'test-api-key-7f3a9c51';

/** The node's parameters. A test may pass values of any type. */
export type Parameters = Record<string, unknown>;

export type Options = Omit<RunOptions, 'parameters' | 'items'> & {
  items?: Array<Record<string, unknown>>;
  /** Runs the node as the tool of an agent, for which n8n has a type with another name. */
  asTool?: boolean;
};

/** The creation time of the first row that is added (ms). The others follow a minute apart. */
export const LONG_AGO = Date.parse('2025-01-06T09:00:00.250Z');

/** Starts another host, and fails each test in which a request arrives there. @returns a function that gives its address */
export function useForbiddenHost(): () => string {
  let host: Emulator;
  beforeEach(async () => {
    host = await startEmulator({ apiKey: KEY });
  });
  afterEach(async () => {
    await host.close();
    expect(host.requests).toEqual([]);
  });
  return () => host.url;
}

/** Starts a strict emulator before every test of the file. All API requests must accept JSON by name, and only they may contain the key. */
export function useHarness(options: EmulatorOptions = {}): Harness {
  const harness = new Harness();
  beforeEach(async () => await harness.start(options));
  afterEach(async () => await harness.stop());
  return harness;
}

export class Harness {
  /** It runs only during a test. */
  emulator!: Emulator;

  async start(options: EmulatorOptions): Promise<void> {
    clearLog();
    this.emulator = await startEmulator({ apiKey: KEY, isStrict: true, ...options });
  }

  async stop(): Promise<void> {
    const { requests } = this.emulator;
    await this.emulator.close();
    expect(loggedText()).not.toContain(KEY);
    const [exchanges, others] = [requests.filter(isApiRequest), requests.filter((request) => !isApiRequest(request))];
    expect(exchanges.filter(({ headers }) => headers['accept'] !== 'application/json')).toEqual([]);
    expect(others.filter(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual([]);
  }

  get credentials(): ICredentialDataDecryptedObject {
    return { subdomain: 'acme', apiKey: KEY, baseUrl: this.emulator.url };
  }

  /** Runs the node, which must ask for the largest pages. Neither the items nor the error may contain the key. */
  async run(parameters: Parameters, { items = [{}], asTool, ...options }: Options = {}): Promise<INodeExecutionData[]> {
    const node = new NeetoForm();
    if (asTool) node.description.name += 'Tool';
    const earlier = this.emulator.requests.length;
    const run = runNode(node, {
      credentials: this.credentials,
      ...options,
      items: items as IDataObject[],
      parameters: parameters as INodeParameters,
    });
    try {
      return await keyless(run);
    } finally {
      // A count needs one row to see whether the service honors the filter.
      const pageSizes = parameters['operation'] === 'count' ? ['1', '100'] : ['100'];
      const sizes = this.emulator.requests.slice(earlier).flatMap(({ query }) => query['page_size'] ?? []);
      expect(sizes.filter((size) => !pageSizes.includes(size))).toEqual([]);
    }
  }

  /** Runs the node and returns its error; fails when there is none. */
  async fail(parameters: Parameters, options?: Options): Promise<NodeApiError | NodeOperationError> {
    const error: unknown = await this.run(parameters, options).catch((thrown: unknown) => thrown);
    if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
    throw new Error('An n8n error was expected', { cause: error });
  }

  /** Runs the node, which must fail before it sends a request; returns its error. */
  async refused(parameters: Parameters, options?: Options): Promise<NodeApiError | NodeOperationError> {
    const sent = this.emulator.requests.length;
    const error = await this.fail(parameters, options);
    expect(this.requests().slice(sent)).toEqual([]);
    return error;
  }

  async list(
    method: 'searchForms' | 'searchTeamMembers',
    { filter, ...options }: EditorOptions & { filter?: string } = {},
  ): Promise<INodeListSearchResult> {
    const node = new NeetoForm();
    const search = node.methods.listSearch[method];
    const asked = { credentials: this.credentials, ...options };
    return await keyless(askInEditor(node, asked, async (context) => await search.call(context, filter)));
  }

  /** What the editor offers in a field of the trigger (forms) or of the action node. */
  async options(method: 'getForms' | 'getQuestions' | 'getRoles' | 'getTimeZones', options: EditorOptions = {}) {
    const [action, trigger] = [new NeetoForm(), new NeetoFormTrigger()];
    const load = { ...trigger.methods.loadOptions, ...action.methods.loadOptions }[method];
    const node = method === 'getForms' ? trigger : action;
    const asked = { credentials: this.credentials, ...options };
    return await keyless(askInEditor(node, asked, async (context) => await load.call(context)));
  }

  /** What Fetch Test Event of the trigger shows. */
  async fetchTestEvent(parameters: Parameters): Promise<INodeExecutionData[]> {
    const triggers = [{ parameters: parameters as INodeParameters }];
    const options = { triggers, credentials: { own: this.credentials } };
    const outputs = await keyless(createPollingWorkflow(new NeetoFormTrigger(), options).poll({ mode: 'manual' }));
    return outputs?.flat() ?? [];
  }

  /** The requests so far: `GET /v2/forms?page=1&page_size=100`. */
  requests(): string[] {
    return this.emulator.requests.map(({ method, path, query }) => {
      const text = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      return `${method} ${path.replace('/api/external', '')}${text.length > 0 ? '?' : ''}${text.join('&')}`;
    });
  }
}

/** Returns or throws what a call does, and fails when either contains the API key. */
async function keyless<T>(outcome: Promise<T>): Promise<T> {
  const [settled] = await Promise.allSettled([outcome]);
  expect(settled.status === 'fulfilled' ? JSON.stringify(settled.value) : deepText(settled.reason)).not.toContain(KEY);
  return await outcome;
}

function isApiRequest({ path }: RequestRecord): boolean {
  return path.startsWith('/api/');
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The JSON of items. */
export function jsons(items: INodeExecutionData[]): Array<INodeExecutionData['json']> {
  return items.map(({ json }) => json);
}

/** The IDs in items: `id`, or `submission_id` in a row. */
export function idsOf(items: INodeExecutionData[]): unknown[] {
  return items.map(({ json }) => json.submission_id ?? json.id);
}

/** Adds forms `Form 1`, `Form 2` …, a minute apart. */
export function addForms({ workspace }: Emulator, count: number): Form[] {
  return range(count).map((index) =>
    workspace.addForm({ title: `Form ${index + 1}`, createdAt: LONG_AGO + index * 60_000 }),
  );
}

/** Adds submissions to a form, a minute apart. */
export function addSubmissions({ workspace }: Emulator, form: Form, count: number, input: SubmissionInput = {}) {
  return range(count).map((index) =>
    workspace.addSubmission(form.id, { createdAt: LONG_AGO + index * 60_000, ...input }),
  );
}

/** Adds team members `member1@example.com` … to the workspace, which already has an admin. */
export function addMembers({ workspace }: Emulator, count: number, input: Partial<MemberInput> = {}): void {
  for (const index of range(count))
    workspace.addMember({ email: `member${index + 1}@example.com`, createdAt: LONG_AGO + index * 60_000, ...input });
}

/** Matches any text in an expected value. */
export function anyText(pattern = /^/): unknown {
  return expect.stringMatching(pattern);
}
