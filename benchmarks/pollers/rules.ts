import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { PollFunction } from '../../test/trigger/harness';

/** The rule by which a well-known poller finds what is new, as its public code or documentation tells it: a model, not the product. */
export interface Peer {
  name: string;
  rule: string;
  poll: PollFunction;
}

interface Row {
  id: string;
  /** ms */
  created: number;
  json: IDataObject;
}

interface Answer {
  rows: Row[];
  total: number;
}

const PAGE = 100;
const MOST_PAGES = 100;
const LOOKBACK = 15 * 60_000;

/** A way to find what is new: takes the state, changes it, gives the rows to hand out; undefined to prime a state that is empty. */
type Rule = (ask: (query: IDataObject) => Promise<Answer>, state: IDataObject, now: number) => Promise<Row[]>;

const pollBy =
  (rule: Rule): PollFunction =>
  async (context, clock) => {
    const rows = await rule(
      async (query) => await ask(context, query),
      context.getWorkflowStaticData('node'),
      clock?.now() ?? Date.now(),
    );
    const items: INodeExecutionData[] = rows
      .toSorted((one, other) => one.created - other.created)
      .map(({ json }) => ({ json }));
    return items.length === 0 ? null : [items];
  };

/** Strictly after the time of the last poll on the computer's clock: n8n's Airtable Trigger. */
const byClock: Rule = async (askFor, state, now) => {
  const since = numberIn(state, 'lastTimeChecked') ?? now;
  const rows = await allPages(askFor, { submitted_after: new Date(since).toISOString(), order: 'asc' });
  state.lastTimeChecked = now;
  return rows.filter(({ created }) => created > since);
};

/** What stands behind as many rows as there were: n8n's Google Sheets Trigger. */
const byRowCount: Rule = async (askFor, state) => {
  const known = numberIn(state, 'count');
  const { total } = await askFor({ order: 'asc', page: 1, page_size: PAGE });
  state.count = total;
  if (known === undefined || total <= known) return [];
  const rows: Row[] = [];
  const first = Math.floor(known / PAGE);
  for (let page = first; page * PAGE < total && page < first + MOST_PAGES; page++)
    rows.push(...(await askFor({ order: 'asc', page: page + 1, page_size: PAGE })).rows);
  return rows.slice(known - first * PAGE, total - first * PAGE);
};

/** From the newest time seen on, without the ids seen at that second: n8n's Gmail Trigger. */
const byBoundaryIds: Rule = async (askFor, state) => {
  const since = numberIn(state, 'lastTimeChecked');
  if (since === undefined) {
    const [newest] = (await askFor({ order: 'desc', page: 1, page_size: PAGE })).rows;
    state.lastTimeChecked = newest === undefined ? 0 : secondOf(newest.created);
    state.possibleDuplicates =
      newest === undefined
        ? []
        : (
            await allPages(askFor, { submitted_after: new Date(secondOf(newest.created)).toISOString(), order: 'asc' })
          ).map(({ id }) => id);
    return [];
  }
  const known = idsIn(state, 'possibleDuplicates');
  const rows = await allPages(askFor, { submitted_after: new Date(since).toISOString(), order: 'asc' });
  const last = Math.max(since, ...rows.map(({ created }) => secondOf(created)));
  state.lastTimeChecked = last;
  state.possibleDuplicates = [
    ...(last === since ? known : []),
    ...rows.filter(({ created }) => secondOf(created) === last).map(({ id }) => id),
  ];
  return rows.filter(({ id }) => !known.has(id));
};

/** The first page, newest first, without any id ever seen: Zapier's polling triggers. */
const byAllIds: Rule = async (askFor, state) => {
  const { rows } = await askFor({ order: 'desc', page: 1, page_size: PAGE });
  const isPrimed = state.ids !== undefined;
  const known = idsIn(state, 'ids');
  state.ids = [...known, ...rows.map(({ id }) => id)];
  return isPrimed ? rows.filter(({ id }) => !known.has(id)) : [];
};

/** The first page, newest first, without the last 100 ids: Pipedream's `unique` deduplication. */
const byLastIds: Rule = async (askFor, state) => {
  const { rows } = await askFor({ order: 'desc', page: 1, page_size: PAGE });
  const isPrimed = state.ids !== undefined;
  const known = idsIn(state, 'ids');
  const fresh = rows.filter(({ id }) => !known.has(id));
  state.ids = [...known, ...fresh.map(({ id }) => id).reverse()].slice(-100);
  return isPrimed ? fresh : [];
};

/** Everything from a window before the newest time seen, merged by id where it arrives: Airbyte's incremental sync with a look-back. */
const byWindow: Rule = async (askFor, state) => {
  const cursor = numberIn(state, 'cursor');
  const known = idsIn(state, 'merged');
  if (cursor === undefined) {
    const rows = await allPages(askFor, { order: 'asc' });
    state.cursor = Math.max(0, ...rows.map(({ created }) => created));
    state.merged = rows.map(({ id }) => id);
    return [];
  }
  const rows = await allPages(askFor, {
    submitted_after: new Date(Math.max(0, cursor - LOOKBACK)).toISOString(),
    order: 'asc',
  });
  state.cursor = Math.max(cursor, ...rows.map(({ created }) => created));
  const fresh = rows.filter(({ id }) => !known.has(id));
  state.merged = [...known, ...fresh.map(({ id }) => id)];
  return fresh;
};

export const PEERS: Peer[] = [
  { name: 'Airtable Trigger (n8n)', rule: 'strictly after the last poll, by the clock here', poll: pollBy(byClock) },
  { name: 'Google Sheets Trigger (n8n)', rule: 'what stands behind the last row count', poll: pollBy(byRowCount) },
  {
    name: 'Gmail Trigger (n8n)',
    rule: 'from the newest time on, less the ids at that second',
    poll: pollBy(byBoundaryIds),
  },
  { name: 'Zapier', rule: 'first page, newest first, less all ids ever seen', poll: pollBy(byAllIds) },
  { name: 'Pipedream', rule: 'first page, newest first, less the last 100 ids', poll: pollBy(byLastIds) },
  { name: 'Airbyte', rule: 'from 15 min before the newest time on, merged by id', poll: pollBy(byWindow) },
];

async function allPages(askFor: (query: IDataObject) => Promise<Answer>, query: IDataObject): Promise<Row[]> {
  const rows = new Map<string, Row>();
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await askFor({ ...query, page, page_size: PAGE });
    const before = rows.size;
    for (const row of answer.rows) rows.set(row.id, row);
    if (rows.size === before || answer.rows.length === 0) break;
  }
  return [...rows.values()];
}

async function ask(context: IPollFunctions, query: IDataObject): Promise<Answer> {
  const formId = context.getNodeParameter('formId', '', { extractValue: true });
  if (typeof formId !== 'string') throw new Error('The form is not an id');
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('neetoFormApi');
  const response: unknown = await context.helpers.httpRequestWithAuthentication.call(context, 'neetoFormApi', {
    method: 'GET',
    baseURL: baseUrl,
    url: `/api/external/v2/forms/${formId}/submissions`,
    qs: query,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  });
  const { statusCode, body } = recordOf(response);
  if (statusCode !== 200) throw new Error(`The service answered with status ${String(statusCode)}`);
  const { submissions, total_count: total } = recordOf(body);
  if (!Array.isArray(submissions)) throw new Error('There is no list');
  return { rows: submissions.map(rowOf), total: typeof total === 'number' ? total : submissions.length };
}

function rowOf(value: unknown): Row {
  const { id, created_at: createdAt } = recordOf(value);
  if (typeof id !== 'string' || typeof createdAt !== 'string') throw new Error('A row has no id or no date');
  return { id, created: Date.parse(createdAt), json: { id, created_at: createdAt } };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function numberIn(state: IDataObject, key: string): number | undefined {
  const value = state[key];
  return typeof value === 'number' ? value : undefined;
}

function idsIn(state: IDataObject, key: string): Set<string> {
  const value = state[key];
  const ids: unknown[] = Array.isArray(value) ? value : [];
  return new Set(ids.filter((id) => typeof id === 'string'));
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
