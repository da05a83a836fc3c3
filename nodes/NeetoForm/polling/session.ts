import type { IDataObject, INode, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { RequestLimiter } from '../api/requestLimiter';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { FORMS, formPath, PAGE_SIZE, submissionsPath } from '../api/endpoints';
import { expectShape, type Subject, toNodeApiError } from '../api/errors';
import type { RequestFailure } from '../api/failure';
import { type Page, parsePage, parseSubmissions } from '../api/parse';
import { request, type ApiResponse } from '../api/request';
import { validated } from '../parameters';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { ExpiringMap } from './expiringMap';

/** ms a poll may take; n8n's durable scheduler abandons one after 45 s. */
export const MAX_BUDGET_MS = 45_000;

/** The part of the budget in which requests begin; the rest is for the last of them to end. */
const READING_SHARE = 0.8;

/** The same when files are downloaded afterwards; when what does not respond is no longer waited for; and when downloads end. */
const READING_SHARE_BEFORE_FILES = 0.4;
const PATIENCE_SHARE_BEFORE_FILES = 0.6;
const FILES_SHARE = 0.95;

/** A Retry-After is honored for an hour at most. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** When a workspace may be sent requests again after a 429 (ms), by its address, and whether a poll has failed by it. */
const pauses = new ExpiringMap<{ until: number; isReported: boolean }>();

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

  readonly limiter = new RequestLimiter();

  /** ms on the clock: downloads end. */
  readonly filesDeadline: number;

  /** ms on the clock: no request begins after it. */
  private readonly readingDeadline: number;

  /** Aborts when forms that do not respond take the time of what was found in others. */
  readonly patience: AbortSignal;

  /** Aborts every request when the poll's time is over. */
  private readonly hardDeadline: AbortSignal;

  /** n8n copies the whole node whenever it is asked for it. */
  readonly node: INode;

  /** Names the trigger in this process. */
  readonly key: string;

  readonly context: IPollFunctions;

  readonly clock: Clock;

  /** The workspace's own address. */
  readonly workspace: string;

  constructor(context: IPollFunctions, clock: Clock, workspace: string, downloadsFiles: boolean) {
    this.context = context;
    this.clock = clock;
    this.workspace = workspace;
    this.node = context.getNode();
    this.key = `${context.getWorkflow().id} ${this.node.id}`;
    const budget = Math.min(budgetOf(context), MAX_BUDGET_MS);
    const now = clock.now();
    this.readingDeadline = now + budget * (downloadsFiles ? READING_SHARE_BEFORE_FILES : READING_SHARE);
    this.filesDeadline = now + budget * FILES_SHARE;
    this.hardDeadline = clock.timeout(budget);
    this.patience = downloadsFiles ? clock.timeout(budget * PATIENCE_SHARE_BEFORE_FILES) : this.hardDeadline;
  }

  /** Whether no further request may begin in this poll. */
  get isTimeUp(): boolean {
    return this.clock.now() + (this.pause?.ms ?? 0) >= this.readingDeadline;
  }

  /** The wait after a 429 with Retry-After; undefined when requests may be sent. */
  get pause(): { ms: number; isReported: boolean } | undefined {
    const pause = pauses.get(this.workspace, this.clock.now());
    return pause && { ms: pause.until - this.clock.now(), isReported: pause.isReported };
  }

  /** Notes that the poll has failed, so that polls within the pause need not fail again. */
  notePauseReported(): void {
    const pause = pauses.get(this.workspace, this.clock.now());
    if (pause !== undefined) pause.isReported = true;
  }

  /** One page of a form's submissions. @throws NodeApiError */
  async readSubmissions(formId: string, query: PageQuery, signal?: AbortSignal): Promise<Page> {
    const { after, order, page, pageSize = PAGE_SIZE } = query;
    const subject = formSubject(formId);
    const bound = after === undefined ? {} : { submitted_after: new Date(after).toISOString() };
    const parameters = { ...bound, order, page, page_size: pageSize };
    const response = await this.get(subject, submissionsPath(formId), parameters, signal);
    return await this.parse(subject, () => parseSubmissions(response));
  }

  /** One page of the list of all forms. @throws NodeApiError */
  async readForms(page: number, signal?: AbortSignal): Promise<Page> {
    const subject: Subject = { what: 'forms' };
    const response = await this.get(subject, FORMS, { order: 'asc', page, page_size: PAGE_SIZE }, signal);
    return await this.parse(subject, () => parsePage(response, 'forms'));
  }

  /** A form's title and questions. @throws NodeApiError */
  async readForm(formId: string, signal?: AbortSignal): Promise<FormDetails> {
    return parseFormDetails((await this.get(formSubject(formId), formPath(formId), {}, signal)).body);
  }

  /** Runs code that throws UnexpectedResponse. @throws NodeApiError in its place */
  async parse<T>(subject: Subject, read: () => T | Promise<T>): Promise<T> {
    return await expectShape(this.node, subject, async () => await read());
  }

  private async get(
    subject: Subject,
    path: string,
    query: IDataObject = {},
    signal?: AbortSignal,
  ): Promise<ApiResponse> {
    const { context, workspace, clock, limiter } = this;
    const response = await request(
      context,
      { method: 'GET', baseURL: workspace, url: path, qs: query },
      {
        subject,
        clock,
        limiter,
        retryLimitMs: Math.max(0, this.readingDeadline - clock.now()),
        signals: [this.hardDeadline, signal],
        onOutcome: (outcome) => this.notePause(outcome),
      },
    );
    this.serverTime ??= response.serverTime;
    return response;
  }

  private notePause(outcome: ApiResponse | RequestFailure): void {
    if (!('kind' in outcome) || outcome.kind !== 'status' || outcome.status !== 429) return;
    const { workspace, clock } = this;
    const waitMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
    // What other requests in flight bring says nothing about this time, and neither does a shorter wait.
    if (waitMs <= (this.pause?.ms ?? 0)) return;
    pauses.set(workspace, { until: clock.now() + waitMs, isReported: false }, clock.now(), waitMs);
  }
}

/** @throws NodeApiError while the workspace must not be sent requests */
export function requireNoPause({ pause, node }: PollSession): void {
  if (pause === undefined) return;
  throw toNodeApiError(node, { kind: 'status', status: 429, retryAfterMs: pause.ms }, { what: 'forms' });
}

/** What an error about a form names. */
export function formSubject(formId: string): Subject {
  return { what: 'form', id: formId, parameter: 'Form' };
}

/** The workspace's own address. @throws NodeOperationError when the credential has none */
export async function workspaceOf(context: IPollFunctions): Promise<string> {
  const credential = await context.getCredentials(CREDENTIAL);
  return validated(context.getNode(), () => workspaceUrl(credential));
}

/** An error as n8n shows it. */
export function toPollError(node: INode, error: unknown): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  if (error instanceof UserError) return new NodeOperationError(node, error);
  const detail = error instanceof Error ? error.message : String(error);
  return toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail }, { what: 'forms' });
}

/** ms that n8n gives a poll; it tells since 2.38. Its scheduler gives 36 s, and otherwise there are five minutes. */
export function budgetOf(context: IPollFunctions): number {
  return 'getPollBudgetMs' in context && typeof context.getPollBudgetMs === 'function'
    ? context.getPollBudgetMs()
    : Infinity;
}

/** Whether the service answered with one of these statuses. */
export function hasStatus(error: unknown, ...statuses: string[]): boolean {
  return error instanceof NodeApiError && error.httpCode !== null && statuses.includes(error.httpCode);
}
