import type { IDataObject, INode, IPollFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { createdFrom, FORM, FORMS, pageQuery, SUBMISSIONS, withId } from '../api/endpoints';
import { unlessHidden } from '../api/service';
import type { Subject } from '../api/messages';
import { parseForm, parseSubmissions, type Row, type ApiResponse, type Parse } from '../api/parse';
import { request, type RequestPolicy } from '../api/request';
import { newLimits } from '../api/retry';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import type { List } from '../lists/list';
import { readList } from '../lists/readList';
import { isUuid } from '../parameters/ids';
import { needsForm } from '../submissions/outputOptions';
import { parseFormDetails } from '../submissions/questions';
import { look, type PageQuery } from './look';
import { memoryOf, pauseOf, type Memory } from './memory';
import { readSettings } from './settings';

/** The longest time of a poll. Polls may come every minute. */
const MAX_BUDGET_MS = 45_000;

/** What n8n gives to a publication. A poll of its scheduler gets less: 80 % of `N8N_SCHEDULER_POLL_TIMEOUT`, which is 36 s by default. */
const PUBLICATION_BUDGET_MS = 5 * 60_000;

/** The longest time of an attempt at a request. */
export const ATTEMPT_MS = 10_000;

/** Parts of a poll's time: pages are requested until `reading`, titles and questions until `requests`. */
const PARTS = { reading: 0.8, requests: 1 };
const PARTS_WITH_FILES = { reading: 0.4, requests: 0.6 };

/** The part of a poll's time after which downloads end. */
const FILES_PART = 0.95;

/** What is known of a trigger before its parameters and its credential are read. That is enough to report a failure. */
export interface PolledTrigger {
  context: IPollFunctions;
  clock: Clock;
  node: INode;
  memory: Memory;
  hasErrorOutput: boolean;
}

export function polledTrigger(context: IPollFunctions, clock: Clock): PolledTrigger {
  const node = context.getNode();
  const memory = memoryOf(`${context.getWorkflow().id} ${node.id}`);
  return { context, clock, node, memory, hasErrorOutput: node.onError === 'continueErrorOutput' };
}

export type PollSession = Awaited<ReturnType<typeof beginSession>>;

/** What a poll works with. @throws UserError when a parameter has a wrong value, or the credential leads to no workspace; what n8n throws */
export async function beginSession(trigger: PolledTrigger) {
  const { context, clock, node } = trigger;
  const begin = clock.now();
  const budget = Math.min(budgetOf(context), MAX_BUDGET_MS);
  const settings = readSettings(context);
  const workspace = workspaceUrl(await context.getCredentials(CREDENTIAL));
  const { formsField, outputOptions, downloads } = settings;
  const pause = pauseOf(`${node.credentials?.[CREDENTIAL]?.id ?? ''} ${workspace}`);
  const limits = newLimits(pause);
  const parts = downloads === undefined ? PARTS : PARTS_WITH_FILES;
  const giveUpAt = begin + budget * parts.reading;
  const over = new AbortController();
  const signals = [clock.timeout(budget * parts.requests), over.signal];
  let serverTime: number | undefined;

  const get = async <T>(url: string, qs: IDataObject, own: Partial<RequestPolicy>, parse: Parse<T>) => {
    const policy = { clock, limits, signals, timeoutMs: ATTEMPT_MS, giveUpAt, ...own };
    return await request(context, { method: 'GET', baseURL: workspace, url, qs }, policy, (response) => {
      serverTime ??= response.serverTime;
      return parse(response);
    });
  };

  const formSubject = (id: string): Subject => {
    const hint = isUuid(id) ? undefined : 'Here, a form is given by its ID, not by its title: choose it from the list.';
    return { what: 'form', id, parameter: formsField, hint };
  };

  /** All forms, by ID. @throws NodeApiError or UserError */
  const readForms = async (policy: Partial<RequestPolicy> = {}) => {
    const requestPage: List<Row>['request'] = async (query, parse) => await get(FORMS, query, policy, parse);
    const rows = await readList({ key: 'forms', order: 'asc', request: requestPage, resultOf: (row) => row }, clock);
    return new Map(rows.map((row) => [row.id, row]));
  };

  /** A form's title and questions, even after `giveUpAt`: submissions cannot be emitted without them. @throws NodeApiError */
  const readForm = async (formId: string) => {
    const parse = (response: ApiResponse) => parseFormDetails(parseForm(response));
    return await get(withId(FORM, formId), {}, { subject: formSubject(formId), giveUpAt: undefined }, parse);
  };

  /** One page of a form's submissions. @throws NodeApiError */
  const readSubmissions = async (formId: string, asked: PageQuery) => {
    const { after, order, page, pageSize } = asked;
    const query = { ...createdFrom(after), order, ...pageQuery('submissions', page, pageSize) };
    const parse = (response: ApiResponse) => parseSubmissions(response, asked);
    return await get(withId(SUBMISSIONS, formId), query, { subject: formSubject(formId) }, parse);
  };

  return {
    ...trigger,
    settings,
    workspace,
    pause,
    /** When downloads end, on the clock. */
    filesDeadline: begin + budget * FILES_PART,
    /** Whether no further page may be requested: the time is over, or will be over when the pause after a 429 ends. */
    isTimeUp: () => {
      const now = clock.now();
      return (pause.at(now)?.endsAt ?? now) >= giveUpAt;
    },
    /** The service's time, or that of the local clock when that is earlier; undefined when the service does not tell. */
    presentTime: () => (serverTime === undefined ? undefined : Math.min(serverTime, clock.now())),
    /** Aborts the requests that a failed poll leaves behind. */
    end: () => over.abort(),
    readForms,
    readForm,
    /** A form's title and questions. Undefined when items do not need them, or the form answers 403 or 404. @throws NodeApiError */
    readDetails: async (formId: string) =>
      needsForm(outputOptions) ? await unlessHidden(readForm(formId)) : undefined,
    readSubmissions,
    /** The submissions of a form that were created from a time on, page by page. */
    pagesFrom: (formId: string, start: number) => look(async (query) => await readSubmissions(formId, query), start),
  };
}

/** The time that n8n gives a poll. Its timers give as much as a publication has. Infinity before n8n 2.38, which tells no budget. */
function budgetOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
  return context.getPollBudgetMs?.() ?? Infinity;
}

/** Why a poll runs at once: somebody publishes the workflow, or n8n starts. */
export type Activation = 'publication' | 'start';

/** Tells whether a poll belongs to an activation, by its context, which is remembered. @returns undefined for a scheduled poll */
export function noteContext({ context, memory }: PolledTrigger): Activation | undefined {
  // By default, n8n's timers start the polls, and all of these have the context of the last activation.
  if (memory.context === context) return undefined;
  memory.context = context;
  const mode = context.getActivationMode();
  if (mode === 'init' || mode === 'leadershipChange') return 'start';
  // A poll of n8n's scheduler also has mode 'update' and a new context, but a smaller budget.
  const isScheduled = budgetOf(context) < PUBLICATION_BUDGET_MS;
  return mode === 'activate' || (mode === 'update' && !isScheduled) ? 'publication' : undefined;
}
