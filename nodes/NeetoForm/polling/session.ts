import type { IDataObject, INode, IPollFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { RequestLimiter } from '../api/requestLimiter';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { createdFrom, FORMS, formPath, pageQuery, submissionsPath } from '../api/endpoints';
import type { RateLimit } from '../api/failure';
import type { Subject } from '../api/messages';
import { type Page, parseForm, parsePage } from '../api/parse';
import { request, type ApiResponse } from '../api/request';
import { validated } from '../parameters/values';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { pauseOf, type WorkspacePause } from './pause';
import type { TriggerSettings } from './settings';

/** ms a poll may take; n8n's durable scheduler abandons one after 45 s. */
export const MAX_BUDGET_MS = 45_000;

/** The budget that n8n's scheduler tells is this part of the time after which it gives up a poll. */
const BUDGET_SHARE = 0.8;

/** The part of the budget in which requests begin; the rest is for the last of them to end. */
const READING_SHARE = 0.8;

/** The same when files are downloaded afterwards. */
const READING_SHARE_BEFORE_FILES = 0.4;

/** Then the part in which requests end, and the part in which downloads do. */
const REQUESTS_SHARE_BEFORE_FILES = 0.6;
const FILES_SHARE = 0.95;

/** Which submissions a page shows. */
export interface PageQuery {
  /** ms, a whole second */
  after?: number;
  order: 'asc' | 'desc';
  /** 1, 2, 3 … */
  page: number;
  pageSize?: number;
}

/** One poll: where it reads, and how long it may take. */
export class PollSession {
  /** ms, the service's clock at its first response in this poll; undefined when it does not tell. */
  serverTime: number | undefined;

  /** Of the workspace, shared with other triggers. */
  readonly pause: WorkspacePause;

  private readonly limiter: RequestLimiter;

  /** ms on the clock: downloads end. */
  readonly filesDeadline: number;

  /** ms on the clock: no request begins after it. */
  readonly readingDeadline: number;

  /** ms on the clock: n8n gives up the poll. */
  private readonly givenUpAt: number;

  /** Aborts every request: the poll's time is over, or the files need the rest of it. */
  private readonly hardDeadline: AbortSignal;

  private readonly over = new AbortController();

  /** n8n copies the whole node whenever it is asked for it. */
  readonly node: INode;

  /** Names the trigger in this process. */
  readonly key: string;

  readonly context: IPollFunctions;

  readonly clock: Clock;

  /** The workspace's own address. */
  readonly workspace: string;

  /** Where the user chose the forms. */
  private readonly formsField: string;

  constructor(
    context: IPollFunctions,
    clock: Clock,
    workspace: string,
    { downloads, formsField }: Pick<TriggerSettings, 'downloads' | 'formsField'>,
  ) {
    this.formsField = formsField;
    this.context = context;
    this.clock = clock;
    this.workspace = workspace;
    this.node = context.getNode();
    this.key = `${context.getWorkflow().id} ${this.node.id}`;
    const givenMs = budgetOf(context) ?? Infinity;
    const budget = Math.min(givenMs, MAX_BUDGET_MS);
    const now = clock.now();
    this.pause = pauseOf(workspace, now);
    this.limiter = new RequestLimiter(this.pause);
    this.givenUpAt = now + givenMs / BUDGET_SHARE;
    this.readingDeadline = now + budget * (downloads ? READING_SHARE_BEFORE_FILES : READING_SHARE);
    this.filesDeadline = now + budget * FILES_SHARE;
    this.hardDeadline = clock.timeout(budget * (downloads ? REQUESTS_SHARE_BEFORE_FILES : 1));
  }

  /** Whether no further request may begin in this poll: its time is over, or is before the pause after a 429 is. */
  get isTimeUp(): boolean {
    const now = this.clock.now();
    return now + this.limiter.pauseMs(now) >= this.readingDeadline;
  }

  /** The 429 that other requests wait for; undefined when they need not. */
  get refusal(): RateLimit | undefined {
    return this.limiter.refusalAt(this.clock.now());
  }

  /** Whether n8n's scheduler has given up this poll: then it neither emits nor stores what the poll returns. */
  get isGivenUp(): boolean {
    return this.clock.now() >= this.givenUpAt;
  }

  /** Aborts what a poll that failed has left under way. */
  end(): void {
    this.over.abort();
  }

  /** One page of a form's submissions. @throws NodeApiError */
  async readSubmissions(formId: string, query: PageQuery, signal?: AbortSignal): Promise<Page> {
    const { after, order, page, pageSize } = query;
    const subject = this.formSubject(formId);
    const parameters = { ...createdFrom(after), order, ...pageQuery('submissions', page, pageSize) };
    const parse = (response: ApiResponse) => parsePage(response, 'submissions');
    return await this.get(subject, submissionsPath(formId), parameters, parse, signal);
  }

  /** One page of the list of all forms. @throws NodeApiError */
  async readForms(page: number, signal?: AbortSignal): Promise<Page> {
    const subject: Subject = { what: 'forms' };
    const parse = (response: ApiResponse) => parsePage(response, 'forms');
    return await this.get(subject, FORMS, { order: 'asc', ...pageQuery('forms', page) }, parse, signal);
  }

  /** A form's title and questions. @throws NodeApiError */
  async readForm(formId: string): Promise<FormDetails> {
    const subject = this.formSubject(formId);
    return await this.get(subject, formPath(formId), {}, (response) => parseFormDetails(parseForm(response)));
  }

  /** What an error about a form names. */
  formSubject(formId: string): Subject {
    return { what: 'form', id: formId, parameter: this.formsField };
  }

  private async get<T>(
    subject: Subject,
    path: string,
    query: IDataObject,
    parse: (response: ApiResponse) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    const { context, workspace, clock, limiter } = this;
    return await request(
      context,
      { method: 'GET', baseURL: workspace, url: path, qs: query },
      {
        subject,
        clock,
        limiter,
        giveUpAt: this.readingDeadline,
        signals: [this.hardDeadline, this.over.signal, signal],
      },
      (response) => {
        this.serverTime ??= response.serverTime;
        return parse(response);
      },
    );
  }
}

/** The workspace's own address. @throws NodeOperationError when the credential has none */
export async function workspaceOf(context: IPollFunctions): Promise<string> {
  const credential = await context.getCredentials(CREDENTIAL);
  return validated(context.getNode(), () => workspaceUrl(credential));
}

/** ms that n8n gives a poll: its scheduler 36 s, and otherwise five minutes. Undefined before n8n 2.38, which does not tell. */
export function budgetOf(context: IPollFunctions): number | undefined {
  return 'getPollBudgetMs' in context && typeof context.getPollBudgetMs === 'function'
    ? context.getPollBudgetMs()
    : undefined;
}
