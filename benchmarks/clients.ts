import { createRequire } from 'node:module';

import type { INodeParameters, IVersionedNodeType } from 'n8n-workflow';

import type * as ActionNode from '../nodes/NeetoForm/NeetoForm.node.ts';
import type * as TriggerNode from '../nodes/NeetoForm/NeetoFormTrigger.node.ts';
import type { Poller } from '../test/support/engine.ts';

const load = createRequire(import.meta.url);

/** Where the service is. */
export interface ServiceAddress {
  url: string;
  apiKey: string;
}

/** Part of a form's submissions: creation times from `after` up to, not including, `before`. */
export interface DateRange {
  after: string;
  before: string;
  order: 'asc' | 'desc';
}

/** What a client is asked to do. */
export type Task =
  | { kind: 'read submissions'; formId: string; range?: DateRange }
  /** The first poll activates the trigger. `skipMs` puts the clock of the process forward before. */
  | { kind: 'poll'; parameters: INodeParameters; skipMs: number };

/** Does a task and returns what it would pass on: items, rows or pages. */
export type Client = (task: Task) => Promise<unknown[]>;

/** The clients of the comparison, as the table and the charts call them. */
export const titles = {
  node: 'NeetoForm node',
  http100: 'HTTP Request node, 100 per page',
  http30: 'HTTP Request node, 30 per page',
  axios: 'axios, one page at a time',
  undici: 'undici, 6 at a time',
  trigger: 'NeetoForm Trigger',
};

export type ClientName = keyof typeof titles;

/** The largest page the service sends. */
const PAGE_SIZE = 100;

/** As many requests at a time as this package's node allows itself. */
const CONCURRENCY = 6;

interface SubmissionPage {
  submissions: Array<{ created_at: string }>;
  pagination: { total_pages: number };
}

// Each client loads what it needs itself: what the others need would count as its memory.
const clients: Record<ClientName, (service: ServiceAddress) => Promise<Client>> = {
  node: neetoFormNode,
  http100: async (service) => await httpRequestNode(service, [{ name: 'page_size', value: String(PAGE_SIZE) }]),
  http30: async (service) => await httpRequestNode(service, []),
  axios: axiosLoop,
  undici: bareClient,
  trigger: neetoFormTrigger,
};

/** Prepares a client for one service. */
export async function createClient(name: ClientName, service: ServiceAddress): Promise<Client> {
  return await clients[name](service);
}

/** Loads n8n's engine with the expression engine that n8n uses by default, with n8n's own settings. */
async function startEngine() {
  const { Expression } = await import('n8n-workflow');
  await Expression.initExpressionEngine({
    engine: 'vm',
    poolSize: 1,
    maxCodeCacheSize: 1024,
    bridgeTimeout: 5_000,
    bridgeMemoryLimit: 128,
  });
  return await import('../test/support/engine.ts');
}

function credentialsOf({ url, apiKey }: ServiceAddress) {
  return { subdomain: 'acme', apiKey, baseUrl: url };
}

/** This package's node; what a task does not say is as the editor presets it. */
async function neetoFormNode(service: ServiceAddress): Promise<Client> {
  const { runNode } = await startEngine();
  const { NeetoForm } = load('../dist/nodes/NeetoForm/NeetoForm.node.js') as typeof ActionNode;
  const type = new NeetoForm();
  return async (task) => {
    if (task.kind === 'poll') throw new Error('This node does not poll');
    const formId = { __rl: true, mode: 'id', value: task.formId };
    const { after: submittedAfter, before: submittedBefore, order } = task.range ?? {};
    const range = task.range && { filters: { submittedAfter, submittedBefore }, sort: { order } };
    const parameters = { resource: 'submission', operation: 'getAll', formId, returnAll: true, ...range };
    return await runNode(type, { parameters, credentials: credentialsOf(service) });
  };
}

/** The newest version of n8n's HTTP Request node with its own pagination and this package's credential. It returns an item per page. */
async function httpRequestNode(service: ServiceAddress, query: INodeParameters[]): Promise<Client> {
  const { runNode } = await startEngine();
  const file = '../n8n-runner/node_modules/n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js';
  const { HttpRequest } = load(file) as { HttpRequest: new () => IVersionedNodeType };
  const type = new HttpRequest().getNodeType();
  type.description.credentials = [{ name: 'neetoFormApi', required: true }];
  const pagination = {
    paginationMode: 'updateAParameterInEachRequest',
    parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
    paginationCompleteWhen: 'other',
    // Stops at the last page, without a request too many.
    completeExpression: '={{ $response.body.pagination.current_page_number >= $response.body.pagination.total_pages }}',
    limitPagesFetched: false,
    requestInterval: 0,
  };
  return async (task) => {
    const parameters = {
      method: 'GET',
      authentication: 'predefinedCredentialType',
      nodeCredentialType: 'neetoFormApi',
      url: submissionsOf(service, task).url,
      sendQuery: query.length > 0,
      queryParameters: { parameters: query },
      options: { pagination: { pagination } },
    };
    return await runNode(type, { parameters, credentials: credentialsOf(service) });
  };
}

/** The loop that a programmer writes first. A date range, oldest first, ends it at the first row that is too young. */
async function axiosLoop(service: ServiceAddress): Promise<Client> {
  const { default: axios } = await import('axios');
  const headers = { 'X-Api-Key': service.apiKey };
  return async (task) => {
    const { url, range } = submissionsOf(service, task);
    const rows: unknown[] = [];
    for (let page = 1, isDone = false; !isDone; page += 1) {
      const params = { page, page_size: PAGE_SIZE, ...(range && { submitted_after: range.after, order: 'asc' }) };
      const { data } = await axios.get<SubmissionPage>(url, { headers, params });
      const wanted = range ? data.submissions.filter((row) => row.created_at < range.before) : data.submissions;
      rows.push(...wanted);
      isDone = page >= data.pagination.total_pages || wanted.length < data.submissions.length;
    }
    return rows;
  };
}

/** The limit: the fastest client there is for Node, connections kept open, and nothing done with the rows. */
async function bareClient(service: ServiceAddress): Promise<Client> {
  const { Pool } = await import('undici');
  const pool = new Pool(service.url, { connections: CONCURRENCY, pipelining: 1 });
  const headers = { 'x-api-key': service.apiKey, accept: 'application/json' };
  return async (task) => {
    const { pathname } = new URL(submissionsOf(service, task).url);
    const read = async (page: number): Promise<SubmissionPage> => {
      const path = `${pathname}?page=${page}&page_size=${PAGE_SIZE}`;
      const { body } = await pool.request({ method: 'GET', path, headers });
      return (await body.json()) as SubmissionPage;
    };
    const first = await read(1);
    const pages: unknown[][] = [first.submissions];
    let next = 2;
    const readOn = async (): Promise<void> => {
      while (next <= first.pagination.total_pages) {
        const page = next++;
        pages[page - 1] = (await read(page)).submissions;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, readOn));
    return pages.flat();
  };
}

/** This package's trigger, in an active workflow. */
async function neetoFormTrigger(service: ServiceAddress): Promise<Client> {
  const { createPoller } = await startEngine();
  const { NeetoFormTrigger } = load('../dist/nodes/NeetoForm/NeetoFormTrigger.node.js') as typeof TriggerNode;
  let trigger: Poller | undefined;
  const realNow = Date.now;
  let skippedMs = 0;
  Date.now = () => realNow() + skippedMs;
  return async (task) => {
    if (task.kind !== 'poll') throw new Error('The trigger polls, and nothing else');
    skippedMs += task.skipMs;
    const { parameters } = task;
    trigger ??= createPoller(new NeetoFormTrigger(), { parameters, credentials: credentialsOf(service) });
    return (await trigger.poll())?.flat() ?? [];
  };
}

function submissionsOf(service: ServiceAddress, task: Task): { url: string; range?: DateRange } {
  if (task.kind !== 'read submissions') throw new Error('This client only reads submissions');
  return { url: `${service.url}/api/external/v2/forms/${task.formId}/submissions`, range: task.range };
}
