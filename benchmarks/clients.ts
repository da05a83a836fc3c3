import { createRequire } from 'node:module';

import type { INodeParameters, IVersionedNodeType } from 'n8n-workflow';

import type * as ActionNode from '../nodes/NeetoForm/NeetoForm.node.ts';
import type * as TriggerNode from '../nodes/NeetoForm/NeetoFormTrigger.node.ts';

const load = createRequire(import.meta.url);

/** Where the service is. */
export interface ServiceAddress {
  url: string;
  apiKey: string;
}

/** Part of a form's submissions. */
export interface DateRange {
  submittedAfter: string;
  /** Exclusive. */
  submittedBefore: string;
  order: 'asc' | 'desc';
}

/** What a client is asked to read. The trigger reads every active form: each task is a poll, and the first one activates it. */
export interface Task {
  formId: string;
  range?: DateRange;
}

/** Milliseconds between two polls; the trigger puts the clock of its process forward by as much. */
export const POLL_INTERVAL_MS = 60_000;

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
  return async ({ formId: value, range }) => {
    const formId = { __rl: true, mode: 'id', value };
    const { order, ...filters } = range ?? {};
    const chosen = range && { filters, sort: { order } };
    const parameters = { resource: 'submission', operation: 'getAll', formId, returnAll: true, ...chosen };
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
  return async ({ formId }) => {
    const parameters = {
      method: 'GET',
      authentication: 'predefinedCredentialType',
      nodeCredentialType: 'neetoFormApi',
      url: submissionsUrl(service, formId),
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
  return async ({ formId, range }) => {
    const url = submissionsUrl(service, formId);
    const rows: unknown[] = [];
    for (let page = 1, isDone = false; !isDone; page += 1) {
      const params = {
        page,
        page_size: PAGE_SIZE,
        ...(range && { submitted_after: range.submittedAfter, order: 'asc' }),
      };
      const { data } = await axios.get<SubmissionPage>(url, { headers, params });
      const wanted = range
        ? data.submissions.filter((row) => row.created_at < range.submittedBefore)
        : data.submissions;
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
  return async ({ formId }) => {
    const { pathname } = new URL(submissionsUrl(service, formId));
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
  const credentials = credentialsOf(service);
  const trigger = createPoller(new NeetoFormTrigger(), { parameters: { triggerOn: 'allActive' }, credentials });
  const realNow = Date.now;
  let skippedMs = 0;
  Date.now = () => realNow() + skippedMs;
  return async () => {
    skippedMs += POLL_INTERVAL_MS;
    return (await trigger.poll())?.flat() ?? [];
  };
}

function submissionsUrl({ url }: ServiceAddress, formId: string): string {
  return `${url}/api/external/v2/forms/${formId}/submissions`;
}
