import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { IVersionedNodeType } from 'n8n-workflow';

import type * as ActionNode from '../nodes/NeetoForm/NeetoForm.node.ts';

const load = createRequire(import.meta.url);

/** What a client needs before its first task. */
export interface Setup {
  client: keyof typeof clients;
  /** The service. */
  url: string;
  apiKey: string;
  /** The folder with the packages of n8n. */
  modules: string;
}

/** What a client is asked to read. */
export interface Task {
  formId: string;
  /** Only these submissions; `submittedBefore` is exclusive. */
  range?: { submittedAfter: string; submittedBefore: string; order: 'asc' | 'desc' };
  /** For the HTTP Request node. Default: the largest. */
  pageSize?: number;
}

/** Does a task and returns what it would pass on: items, rows or pages. */
export type Client = (task: Task) => Promise<unknown[]>;

/** The largest page that the service sends, and as many requests at a time as this package's node allows itself. */
const [PAGE_SIZE, CONCURRENCY] = [100, 6];

interface SubmissionPage {
  submissions: unknown[];
  pagination: { total_pages: number };
}

// Each client loads what it needs itself: what the others need would count as its memory.
const clients = {
  node: neetoFormNode,
  http: httpRequestNode,
  undici: bareClient,
};

/** Prepares a client for one service. */
export async function createClient(setup: Setup): Promise<Client> {
  return await clients[setup.client](setup);
}

/** Loads n8n's engine with the expression engine that n8n uses by default, with n8n's own settings. */
async function startEngine({ url, apiKey }: Setup) {
  const { Expression } = await import('n8n-workflow');
  await Expression.initExpressionEngine({
    engine: 'vm',
    poolSize: 1,
    maxCodeCacheSize: 1024,
    bridgeTimeout: 5_000,
    bridgeMemoryLimit: 128,
  });
  const credentials = { subdomain: 'acme', apiKey, baseUrl: url };
  return { ...(await import('../test/support/engine.ts')), credentials };
}

/** This package's node; what a task does not say is as the editor presets it. */
async function neetoFormNode(setup: Setup): Promise<Client> {
  const { runNode, credentials } = await startEngine(setup);
  const { NeetoForm } = load('../dist/nodes/NeetoForm/NeetoForm.node.js') as typeof ActionNode;
  const type = new NeetoForm();
  return async ({ formId: value, range }) => {
    const formId = { __rl: true, mode: 'id', value };
    const { order, ...filters } = range ?? {};
    const chosen = range && { filters, sort: { order } };
    const parameters = { resource: 'submission', operation: 'getAll', formId, returnAll: true, ...chosen };
    return await runNode(type, { parameters, credentials });
  };
}

/**
 * n8n's HTTP Request node with its own pagination and this package's credential. It returns an item per page. It reads a range from its
 * lower bound on, oldest first, until a page shows a row beyond it.
 */
async function httpRequestNode(setup: Setup): Promise<Client> {
  const { runNode, credentials } = await startEngine(setup);
  const file = join(setup.modules, 'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js');
  const { HttpRequest } = load(file) as { HttpRequest: new () => IVersionedNodeType };
  const type = new HttpRequest().getNodeType();
  type.description.credentials = [{ name: 'neetoFormApi', required: true }];
  return async ({ formId, range, pageSize = PAGE_SIZE }) => {
    const { submittedAfter = '', submittedBefore = '9' } = range ?? {};
    // Stops at the last page, without a request too many.
    const isLast = '$response.body.pagination.current_page_number >= $response.body.pagination.total_pages';
    const isBeyond = `$response.body.submissions.some((row) => row.created_at >= '${submittedBefore}')`;
    const pagination = {
      paginationMode: 'updateAParameterInEachRequest',
      parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
      paginationCompleteWhen: 'other',
      completeExpression: `={{ ${isLast} || ${isBeyond} }}`,
      limitPagesFetched: false,
      requestInterval: 0,
    };
    const query = { page_size: String(pageSize), ...(range && { submitted_after: submittedAfter, order: 'asc' }) };
    const parameters = {
      method: 'GET',
      authentication: 'predefinedCredentialType',
      nodeCredentialType: 'neetoFormApi',
      url: `${setup.url}${submissionsPath(formId)}`,
      sendQuery: true,
      queryParameters: { parameters: Object.entries(query).map(([name, value]) => ({ name, value })) },
      options: { pagination: { pagination } },
    };
    return await runNode(type, { parameters, credentials });
  };
}

/** The limit: the fastest client there is for Node, connections kept open, and nothing done with the rows. */
async function bareClient({ url, apiKey }: Setup): Promise<Client> {
  const { Pool } = await import('undici');
  const pool = new Pool(url, { connections: CONCURRENCY, pipelining: 1 });
  const headers = { 'x-api-key': apiKey, accept: 'application/json' };
  return async ({ formId }) => {
    const read = async (page: number): Promise<SubmissionPage> => {
      const path = `${submissionsPath(formId)}?page=${page}&page_size=${PAGE_SIZE}`;
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

function submissionsPath(formId: string): string {
  return `/api/external/v2/forms/${formId}/submissions`;
}
