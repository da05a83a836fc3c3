import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import type { PollFunction } from '../../test/trigger/harness';

/** How another product finds new submissions, from its public code or documentation: a model of its rule, not the product. */
export interface PollingRule {
  product: string;
  rule: string;
  poll: PollFunction;
}

interface Row {
  id: string;
  created_at: string;
}

/** What a rule works with. */
interface Call {
  /** Reads one page. */
  read(query: IDataObject): Promise<{ rows: Row[]; total: number }>;
  /** Reads pages until one shows nothing new. */
  readAll(query: IDataObject): Promise<Row[]>;
  /** Kept from poll to poll; empty at first. */
  state: IDataObject;
  /** ms on this computer's clock */
  now: number;
}

const PAGE_SIZE = 100;
const MAX_PAGES = 100;
const LOOKBACK_MS = 15 * 60_000;
const NEWEST = { order: 'desc', page: 1 };

const response = z.object({
  statusCode: z.literal(200),
  body: z.object({
    submissions: z.array(z.object({ id: z.string(), created_at: z.string() })),
    total_count: z.number().optional(),
  }),
});

const createdMs = (row: Row): number => Date.parse(row.created_at);
const secondOf = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
const since = (ms: number): IDataObject => ({ submitted_after: new Date(ms).toISOString(), order: 'asc' });
const idsOf = (rows: Row[]): string[] => rows.map(({ id }) => id);

/** The rules; each returns the rows to emit, and nothing at its first poll. */
export const POLLING_RULES: PollingRule[] = [
  rule('Airtable Trigger (n8n)', 'Created after the last poll, by the local clock', async ({ readAll, state, now }) => {
    const lastPoll = numberIn(state, 'lastPoll') ?? now;
    state.lastPoll = now;
    return (await readAll(since(lastPoll))).filter((row) => createdMs(row) > lastPoll);
  }),

  rule('Google Sheets Trigger (n8n)', 'Rows beyond the last row count', async ({ read, state }) => {
    const known = numberIn(state, 'count');
    const { total } = await read({ order: 'asc', page: 1 });
    state.count = total;
    if (known === undefined || total <= known) return [];
    const rows: Row[] = [];
    const firstPage = Math.floor(known / PAGE_SIZE);
    for (let page = firstPage; page * PAGE_SIZE < total && page < firstPage + MAX_PAGES; page++)
      rows.push(...(await read({ order: 'asc', page: page + 1 })).rows);
    return rows.slice(known - firstPage * PAGE_SIZE, total - firstPage * PAGE_SIZE);
  }),

  rule('Gmail Trigger (n8n)', 'From the newest second, without the IDs of that second', async (call) => {
    const { read, readAll, state } = call;
    const last = numberIn(state, 'lastSecond');
    const [newest] = last === undefined ? (await read(NEWEST)).rows : [];
    const from = last ?? (newest === undefined ? 0 : secondOf(createdMs(newest)));
    const rows = last === undefined && newest === undefined ? [] : await readAll(since(from));
    const known = idsIn(state, 'idsOfSecond');
    const lastSecond = Math.max(from, ...rows.map((row) => secondOf(createdMs(row))));
    const ofSecond = rows.filter((row) => secondOf(createdMs(row)) === lastSecond);
    state.lastSecond = lastSecond;
    state.idsOfSecond = [...(lastSecond === from ? known : []), ...idsOf(ofSecond)];
    return last === undefined ? [] : rows.filter(({ id }) => !known.has(id));
  }),

  rule('Zapier', 'First page, newest first, without all IDs seen', async (call) => await firstPage(call, Infinity)),

  rule('Pipedream', 'First page, newest first, without the last 100 IDs', async (call) => await firstPage(call, 100)),

  rule('Airbyte', 'From 15 minutes before the newest time, merged by ID', async ({ readAll, state }) => {
    const cursor = numberIn(state, 'cursor');
    const known = idsIn(state, 'merged');
    const rows = await readAll(cursor === undefined ? { order: 'asc' } : since(Math.max(0, cursor - LOOKBACK_MS)));
    const fresh = rows.filter(({ id }) => !known.has(id));
    state.cursor = Math.max(cursor ?? 0, ...rows.map(createdMs));
    state.merged = [...known, ...idsOf(fresh)];
    return cursor === undefined ? [] : fresh;
  }),
];

async function firstPage({ read, state }: Call, remembered: number): Promise<Row[]> {
  const isFirst = state.ids === undefined;
  const known = idsIn(state, 'ids');
  const fresh = (await read(NEWEST)).rows.filter(({ id }) => !known.has(id));
  state.ids = [...known, ...idsOf(fresh).reverse()].slice(-remembered);
  return isFirst ? [] : fresh;
}

function rule(product: string, text: string, find: (call: Call) => Promise<Row[]>): PollingRule {
  const poll: PollFunction = async (context, clock) => {
    const read: Call['read'] = async (query) => await readPage(context, query);
    const readAll: Call['readAll'] = async (query) => {
      const rows = new Map<string, Row>();
      for (let page = 1, before = -1; page <= MAX_PAGES && rows.size > before; page++) {
        before = rows.size;
        for (const row of (await read({ ...query, page })).rows) rows.set(row.id, row);
      }
      return [...rows.values()];
    };
    const state = context.getWorkflowStaticData('node');
    const rows = await find({ read, readAll, state, now: clock?.now() ?? Date.now() });
    const items = rows.toSorted((one, other) => createdMs(one) - createdMs(other)).map((row) => ({ json: { ...row } }));
    return items.length === 0 ? null : [items];
  };
  return { product, rule: text, poll };
}

/** @throws when the service does not send a list: the poll then fails, without a retry */
async function readPage(context: IPollFunctions, query: IDataObject): Promise<{ rows: Row[]; total: number }> {
  const formId = z.string().parse(context.getNodeParameter('formId', '', { extractValue: true }));
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('neetoFormApi');
  const answer: unknown = await context.helpers.httpRequestWithAuthentication.call(context, 'neetoFormApi', {
    method: 'GET',
    baseURL: baseUrl,
    url: `/api/external/v2/forms/${formId}/submissions`,
    qs: { ...query, page_size: PAGE_SIZE },
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  });
  const { submissions: rows, total_count: total = rows.length } = response.parse(answer).body;
  return { rows, total };
}

function numberIn(state: IDataObject, key: string): number | undefined {
  const value = state[key];
  return typeof value === 'number' ? value : undefined;
}

function idsIn(state: IDataObject, key: string): Set<string> {
  return new Set(z.array(z.string()).parse(state[key] ?? []));
}
