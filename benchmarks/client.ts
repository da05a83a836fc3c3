/** A client in a process of its own, which does the tasks that it is sent. It ends with the process that started it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { IVersionedNodeType } from 'n8n-workflow';

import type * as ActionNode from '../nodes/NeetoForm/NeetoForm.node.ts';

const load = createRequire(import.meta.url);

export interface Task {
  formId: string;
  /** Default: all submissions. */
  range?: { submittedAfter: string; submittedBefore: string };
  /** Of this package's node. Default: newest first. */
  order?: 'asc' | 'desc';
  /** Of the HTTP Request node. Default: the largest that the service sends. */
  pageSize?: number;
}

export interface Work {
  ms: number;
  items: number;
  /** By how much the task raised the highest memory that the process has ever had, in bytes. */
  peakBytes: number;
}

/** Does a task and returns what it would pass on: items, rows or pages. */
type Client = (task: Task) => Promise<unknown[]>;

export type Setup = [client: keyof typeof clients, url: string, apiKey: string];

/** The largest page that the service sends, and as many requests at a time as this package's node allows itself. */
const [PAGE_SIZE, CONCURRENCY] = [100, 6];
const submissionsPath = (formId: string) => `/api/external/v2/forms/${formId}/submissions`;

// Each client loads what it needs itself. Common imports would count as memory of all.
const clients = { node: neetoFormNode, http: httpRequestNode, undici: bareClient };

const [name, url, apiKey] = process.argv.slice(2) as Setup;
const client = await clients[name]();
process.on('message', (task: Task) => void work(task).then((answer) => process.send?.(answer)));
process.on('disconnect', () => process.exit());

async function work(task: Task): Promise<Work> {
  globalThis.gc?.();
  const rssBefore = process.memoryUsage.rss();
  const started = performance.now();
  const output = await client(task);
  const ms = performance.now() - started;
  const peakBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore);
  // An item of the HTTP Request node holds a page of submissions.
  const rows = output.flatMap((item) => (item as { json?: { submissions?: unknown[] } }).json?.submissions ?? [item]);
  return { ms, peakBytes, items: rows.length };
}

/** Loads n8n's engine, with the expression engine and the settings of n8n. */
async function startEngine() {
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

async function neetoFormNode(): Promise<Client> {
  const { runNode, credentials } = await startEngine();
  const { NeetoForm } = load('../dist/nodes/NeetoForm/NeetoForm.node.js') as typeof ActionNode;
  const type = new NeetoForm();
  return async ({ formId: value, range: filters, order }) => {
    const formId = { __rl: true, mode: 'id', value };
    const chosen = { ...(filters && { filters }), ...(order && { sort: { order } }) };
    const parameters = { resource: 'submission', operation: 'getAll', formId, returnAll: true, ...chosen };
    return await runNode(type, { parameters, credentials });
  };
}

/** n8n's own pagination with this package's credential. A range is read from its lower bound on, until a page shows a row beyond it. */
async function httpRequestNode(): Promise<Client> {
  const { runNode, credentials } = await startEngine();
  const { modules } = await (await import('../n8n-runner/install.ts')).ensureN8n();
  const file = join(modules, 'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js');
  const { HttpRequest } = load(file) as { HttpRequest: new () => IVersionedNodeType };
  const type = new HttpRequest().getNodeType();
  type.description.credentials = [{ name: 'neetoFormApi', required: true }];
  return async ({ formId, range, pageSize = PAGE_SIZE }) => {
    const { submittedAfter = '', submittedBefore = '9' } = range ?? {};
    // Otherwise, the node would request an empty page after the last one.
    const isLast = '$response.body.pagination.current_page_number >= $response.body.pagination.total_pages';
    const isBeyond = `$response.body.submissions.some((row) => row.created_at >= '${submittedBefore}')`;
    const pagination = {
      paginationMode: 'updateAParameterInEachRequest',
      parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
      paginationCompleteWhen: 'other',
      completeExpression: `={{ ${isLast} || ${isBeyond} }}`,
    };
    const query = { page_size: String(pageSize), ...(range && { submitted_after: submittedAfter, order: 'asc' }) };
    const parameters = {
      method: 'GET',
      authentication: 'predefinedCredentialType',
      nodeCredentialType: 'neetoFormApi',
      url: `${url}${submissionsPath(formId)}`,
      sendQuery: true,
      queryParameters: { parameters: Object.entries(query).map(([name, value]) => ({ name, value })) },
      options: { pagination: { pagination } },
    };
    return await runNode(type, { parameters, credentials });
  };
}

/** The limit: the fastest client for Node.js, which keeps connections open, and does nothing with the rows. */
async function bareClient(): Promise<Client> {
  const { Pool } = await import('undici');
  const pool = new Pool(url, { connections: CONCURRENCY, pipelining: 1 });
  const headers = { 'x-api-key': apiKey, accept: 'application/json' };
  return async ({ formId }) => {
    const read = async (page: number) => {
      const path = `${submissionsPath(formId)}?page=${page}&page_size=${PAGE_SIZE}`;
      const { body } = await pool.request({ method: 'GET', path, headers });
      return (await body.json()) as { submissions: unknown[]; pagination: { total_pages: number } };
    };
    const { submissions: rows, pagination } = await read(1);
    let page = 1;
    const readOn = async (): Promise<void> => {
      while (page < pagination.total_pages) rows.push(...(await read((page += 1))).submissions);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, readOn));
    return rows;
  };
}
