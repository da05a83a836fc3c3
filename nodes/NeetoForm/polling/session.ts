import type { INode, IPollFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import type { Page, Row, Submission } from '../api/parse';
import type { Pause } from '../api/pause';
import { request, type RequestPolicy } from '../api/request';
import { newLimits } from '../api/retry';
import { readForm, readSubmissionsPage, unlessHidden, type Get, type PageAsked, type Target } from '../api/service';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { readForms } from '../lists/wholeLists';
import { isUuid } from '../parameters/ids';
import { needsForm } from '../parameters/outputOptions';
import { readTriggerSettings, type TriggerSettings } from '../parameters/triggerSettings';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { look, type Seen } from '../watching/look';
import { memoryOf, pauseOf, type Memory } from './memory';

/** The longest time of a poll. Polls may come every minute. */
const MAX_BUDGET_MS = 45_000;

/** What n8n gives to a publication. A poll of its scheduler gets less: 80 % of `N8N_SCHEDULER_POLL_TIMEOUT`, and that is 36 s by default. */
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

/** What is known when a poll, or a test event, begins. Both are counted in `memory.polls`. */
export function polledTrigger(context: IPollFunctions, clock: Clock): PolledTrigger {
  const node = context.getNode();
  const memory = memoryOf(`${context.getWorkflow().id} ${node.id}`);
  memory.polls++;
  return { context, clock, node, memory, hasErrorOutput: node.onError === 'continueErrorOutput' };
}

/** What a poll works with: its settings, its times, and what it reads of the service. */
export interface PollSession extends PolledTrigger {
  settings: TriggerSettings;
  /** The origin of the workspace: `https://acme.neetoform.com`. */
  workspace: string;
  /** The pause after a 429, which triggers with the same credential share. */
  pause: Pause;
  /** When downloads end, on the clock. */
  filesDeadline: number;
  /** Whether no further page may be requested: the time is over, or will be over when the pause after a 429 ends. */
  isTimeUp: () => boolean;
  /** The service's time at its first response, or that of the local clock when that is earlier; undefined when the service does not tell. */
  presentTime: () => number | undefined;
  /** Ends a poll. If it failed, its requests may still be under way: this aborts them. */
  end: () => void;
  /** All forms, by ID. `mayRetry` says whether a request that failed is sent again. @throws NodeApiError or UserError */
  readForms: (how: { mayRetry: boolean }) => Promise<Map<string, Row>>;
  /** A form's title and questions, even when no further page may be requested: submissions cannot be emitted without them. @throws NodeApiError */
  readForm: (formId: string) => Promise<FormDetails>;
  /** A form's title and questions. Undefined when items do not need them, or the form answers 403 or 404. @throws NodeApiError */
  readDetails: (formId: string) => Promise<FormDetails | undefined>;
  /** One page of a form's submissions. @throws NodeApiError */
  readSubmissions: (formId: string, asked: PageAsked) => Promise<Page<Submission>>;
  /** The submissions of a form that were created from a time on, page by page. */
  pagesFrom: (formId: string, start: number) => AsyncGenerator<Seen, undefined>;
}

/** Begins a session. @throws UserError when a parameter has a wrong value, or the credential leads to no workspace; what n8n throws */
export async function beginSession(trigger: PolledTrigger): Promise<PollSession> {
  const { context, clock, node } = trigger;
  const begin = clock.now();
  const budget = Math.min(budgetOf(context), MAX_BUDGET_MS);
  const settings = readTriggerSettings(context);
  const workspace = workspaceUrl(await context.getCredentials(CREDENTIAL));
  const { formsField, outputOptions, downloads } = settings;
  const pause = pauseOf(`${node.credentials?.[CREDENTIAL]?.id ?? ''} ${workspace}`);
  const limits = newLimits(pause);
  const parts = downloads === undefined ? PARTS : PARTS_WITH_FILES;
  const giveUpAt = begin + budget * parts.reading;
  const over = new AbortController();
  const signals = [clock.timeout(budget * parts.requests), over.signal];
  let serverTime: number | undefined;

  const getWith = (own: Partial<RequestPolicy>): Get => {
    const common = { clock, limits, timeoutMs: ATTEMPT_MS, giveUpAt, ...own };
    return async ({ path: url, query: qs, subject, signal }, parse) => {
      const policy = { ...common, subject, signals: [...signals, signal] };
      return await request(context, { method: 'GET', baseURL: workspace, url, qs }, policy, (response) => {
        serverTime ??= response.serverTime;
        return parse(response);
      });
    };
  };

  const get = getWith({});

  const formOf = (id: string): Target => {
    const hint = isUuid(id) ? undefined : 'Here, a form is given by its ID, not by its title: choose it from the list.';
    return { what: 'form', id, parameter: formsField, hint };
  };

  const readFormDetails = async (formId: string) =>
    parseFormDetails(await readForm(getWith({ giveUpAt: undefined }), formOf(formId)));

  const readSubmissions = async (formId: string, asked: PageAsked) =>
    await readSubmissionsPage(get, formOf(formId), asked);

  return {
    ...trigger,
    settings,
    workspace,
    pause,
    filesDeadline: begin + budget * FILES_PART,
    isTimeUp: () => {
      const now = clock.now();
      return (pause.at(now)?.endsAt ?? now) >= giveUpAt;
    },
    presentTime: () => (serverTime === undefined ? undefined : Math.min(serverTime, clock.now())),
    end: () => over.abort(),
    readForms: async ({ mayRetry }) => {
      const forms = await readForms(mayRetry ? get : getWith({ retryLimitMs: 0 }), 'asc', clock);
      return new Map(forms.map((form) => [form.id, form]));
    },
    readForm: readFormDetails,
    readDetails: async (formId) => (needsForm(outputOptions) ? await unlessHidden(readFormDetails(formId)) : undefined),
    readSubmissions,
    pagesFrom: (formId, start) => look(async (query) => await readSubmissions(formId, query), start),
  };
}

/** The time that n8n gives a poll. Its timers give as much as a publication has. Infinity where n8n does not tell it: before version 2.38. */
function budgetOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
  return context.getPollBudgetMs?.() ?? Infinity;
}

/** Why a poll runs at once: somebody publishes the workflow, or n8n starts. */
export type Activation = 'publication' | 'start';

/** Tells whether a poll belongs to an activation, by its context. @returns undefined for a scheduled poll */
export function activationOf({ context, memory }: PolledTrigger): Activation | undefined {
  // By default, n8n's timers start the polls, and all of these have the context of the last activation.
  if (memory.context === context) return undefined;
  const mode = context.getActivationMode();
  if (mode === 'init' || mode === 'leadershipChange') return 'start';
  // A workflow that is published again has mode 'update'. So has a poll of n8n's scheduler, which also has a new context, but a smaller budget.
  const isScheduled = budgetOf(context) < PUBLICATION_BUDGET_MS;
  return mode === 'activate' || (mode === 'update' && !isScheduled) ? 'publication' : undefined;
}
