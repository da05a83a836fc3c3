import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeExecutionData,
  INodeListSearchResult,
  INodePropertyOptions,
  INodeParameters,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { startEmulator } from '../../emulator/index.ts';
import type {
  Emulator,
  EmulatorOptions,
  Form,
  MemberInput,
  RequestRecord,
  Submission,
  SubmissionInput,
} from '../../emulator/index.ts';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import {
  clearLog,
  deepText,
  listSearch,
  loadOptions,
  loggedText,
  runNode,
  type ListSearchOptions,
  type RunOptions,
} from './engine';
import { validateExchanges } from './openapi';

/** The key of every bench: nothing else in the tests reads like it, so that any trace of it is found. */
export const KEY = 'key-of-the-bench-7f3a9c51';

/** The node's parameters as a workflow holds them; a test may put in anything. */
export type Parameters = Record<string, unknown>;

/** How the node is run; an input item is given by its data alone. */
export type Options = Omit<RunOptions, 'parameters' | 'items'> & { items?: Array<Record<string, unknown>> };

/** What a test needs to run the action node against a service. */
export interface Bench {
  readonly emulator: Emulator;
  readonly credentials: ICredentialDataDecryptedObject;
  /** Runs the node; whatever comes out, items or an error, is searched for the key. */
  run(parameters: Parameters, options?: Options): Promise<INodeExecutionData[]>;
  /** Runs the node and gives the error; fails when there is none. */
  fail(parameters: Parameters, options?: Options): Promise<NodeApiError | NodeOperationError>;
  /** A list of the editor. */
  list(
    method: 'searchForms' | 'searchTeamMembers',
    options?: Omit<ListSearchOptions, 'credentials'>,
  ): Promise<INodeListSearchResult>;
  /** What the editor offers in a field of the trigger (forms) or of the action node. */
  options(
    method: 'getForms' | 'getQuestions' | 'getRoles' | 'getTimeZones',
    options?: Omit<ListSearchOptions, 'credentials'>,
  ): Promise<INodePropertyOptions[]>;
  /** The requests so far: `GET /v2/forms?page=1&page_size=100`. */
  asked(): string[];
  /** In this test the service, or what it is asked, is not as described: exchanges are not held against its description. */
  offTheBook(): void;
}

export const DAY = 86_400_000;

/** When the first of added rows was made; each next one is a minute younger. */
export const LONG_AGO = Date.parse('2025-01-06T09:00:00.250Z');

const ADMIN: MemberInput = {
  email: 'admin@example.com',
  firstName: 'Ada',
  lastName: 'Admin',
  organizationRole: 'Admin',
  createdAt: LONG_AGO,
  updatedAt: LONG_AGO,
};

/**
 * Gives every test of the file an empty workspace of its own, and holds every exchange against the description of the service. Whatever
 * is asked for, JSON is asked for by name, and the page size is the service's largest and never changes. What is fetched beside the
 * interface (files) is fetched without the key.
 */
export function useBench(options: EmulatorOptions = {}): Bench {
  // The first test of a file loads n8n's engine; on a busy computer that takes a while.
  jest.setTimeout(30_000);
  let running: Emulator | undefined;
  let byTheBook = true;

  beforeEach(async () => {
    clearLog();
    byTheBook = true;
    running = await startEmulator({ apiKey: KEY, seed: { members: [ADMIN] }, ...options });
  });

  afterEach(async () => {
    const { requests = [] } = running ?? {};
    await running?.close();
    running = undefined;
    expect(loggedText()).not.toContain(KEY);
    const [exchanges, others] = [requests.filter(isOfInterface), requests.filter((request) => !isOfInterface(request))];
    expect(exchanges.filter(({ headers }) => headers['accept'] !== 'application/json')).toEqual([]);
    expect(others.filter(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual([]);
    if (byTheBook) expect(await validateExchanges(exchanges)).toEqual([]);
  });

  const emulator = (): Emulator => {
    if (running === undefined) throw new Error('The bench stands only while a test runs');
    return running;
  };
  const credentials = () => ({ subdomain: 'acme', apiKey: KEY, baseUrl: emulator().url });

  const bench: Bench = {
    get emulator() {
      return emulator();
    },
    get credentials() {
      return credentials();
    },
    async run(parameters, { items: inputs = [{}], ...runOptions } = {}) {
      try {
        const items = await runNode(new NeetoForm(), {
          credentials: credentials(),
          ...runOptions,
          items: inputs.map((json) => ({ json: json as IDataObject })),
          parameters: parameters as INodeParameters,
        });
        expect(JSON.stringify(items)).not.toContain(KEY);
        return items;
      } catch (error) {
        expect(deepText(error)).not.toContain(KEY);
        throw error;
      } finally {
        expect(emulator().requests.filter(({ query }) => (query['page_size'] ?? '100') !== '100')).toEqual([]);
      }
    },
    async fail(parameters, runOptions = {}) {
      return await failureOf(bench.run(parameters, runOptions));
    },
    async list(method, listOptions = {}) {
      try {
        return await listSearch(new NeetoForm(), method, { ...listOptions, credentials: credentials() });
      } catch (error) {
        expect(deepText(error)).not.toContain(KEY);
        throw error;
      }
    },
    async options(method, listOptions = {}) {
      const node = method === 'getForms' ? new NeetoFormTrigger() : new NeetoForm();
      try {
        return await loadOptions(node, method, { ...listOptions, credentials: credentials() });
      } catch (error) {
        expect(deepText(error)).not.toContain(KEY);
        throw error;
      }
    },
    asked: () =>
      emulator().requests.map(
        ({ method, path, query }) => `${method} ${path.replace('/api/external', '')}${queryText(query)}`,
      ),
    offTheBook: () => {
      byTheBook = false;
    },
  };
  return bench;
}

function isOfInterface({ path }: RequestRecord): boolean {
  return path.startsWith('/api/');
}

function queryText(query: Record<string, string>): string {
  const text = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return text === '' ? '' : `?${text}`;
}

/** The error of n8n's that something ends with; fails when it ends well or with another error. */
export async function failureOf(outcome: Promise<unknown>): Promise<NodeApiError | NodeOperationError> {
  const error = await outcome.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  throw new Error('An error of n8n was expected', { cause: error });
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The data of items. */
export function jsons(items: INodeExecutionData[]): Array<INodeExecutionData['json']> {
  return items.map(({ json }) => json);
}

/** The ids in the items, in their order. */
export function idsOf(items: INodeExecutionData[]): unknown[] {
  return items.map(({ json }) => json.id);
}

/** Adds forms `Form 1`, `Form 2` …, a minute apart. */
export function addForms({ workspace }: Emulator, count: number): Form[] {
  return range(count).map((index) =>
    workspace.addForm({ title: `Form ${index + 1}`, createdAt: LONG_AGO + index * 60_000 }),
  );
}

/** Adds submissions to a form, a minute apart. */
export function addSubmissions(
  { workspace }: Emulator,
  form: Form,
  count: number,
  input: SubmissionInput = {},
): Submission[] {
  return range(count).map((index) =>
    workspace.addSubmission(form.id, { createdAt: LONG_AGO + index * 60_000, ...input }),
  );
}

/** Adds team members `member1@example.com` …; the workspace has an admin besides. */
export function addMembers({ workspace }: Emulator, count: number, input: Partial<MemberInput> = {}): void {
  for (const index of range(count))
    workspace.addMember({ email: `member${index + 1}@example.com`, createdAt: LONG_AGO + index * 60_000, ...input });
}

/** Stands for any text in what is expected; what is matched is not looked into further. */
export function anyText(pattern = /^/): unknown {
  return expect.stringMatching(pattern);
}
