import type { IDataObject, INode, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { RequestLimiter } from '../api/requestLimiter';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { FORMS, formPath, PAGE_SIZE, submissionsPath } from '../api/endpoints';
import { expectShape, type Subject, toNodeApiError, UnexpectedResponse } from '../api/errors';
import type { RequestFailure } from '../api/failure';
import { isSorted } from '../api/pages';
import { type Page, parsePage, parseSubmissions } from '../api/parse';
import { request, type ApiResponse } from '../api/request';
import { validated } from '../parameters';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { ProcessMemory } from './processMemory';

/** ms a poll may take; n8n's durable scheduler abandons one after 45 s. */
const MAX_BUDGET_MS = 45_000;

/** The part of the budget in which requests begin; the rest is for the last of them to end. */
const READING_SHARE = 0.8;

/** The same when files are downloaded afterwards, and when downloads end. */
const READING_SHARE_BEFORE_FILES = 0.4;
const FILES_SHARE = 0.95;

/** A Retry-After is honored for an hour at most. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** When requests to a workspace may be sent again (ms) after a 429, by its address, and whether a poll has failed by it. */
const retryAfter = new ProcessMemory<{ at: number; isReported: boolean }>();

/** Which submissions a page shows. */
export interface PageQuery {
  /** ms, a whole second: the service may keep finer times than it prints, or round what it receives. */
  after?: number;
  order: 'asc' | 'desc';
  /** 1, 2, 3 … */
  page: number;
}

/** One poll: where it reads, and how long it may take. */
export class PollSession {
  readonly limiter = new RequestLimiter();

  /** ms on the clock: downloads end. */
  readonly filesDeadline: number;

  /** ms on the clock: no request begins after it. */
  private readonly readingDeadline: number;

  /** Aborts every request when the poll's time is over. */
  private readonly hardDeadline: AbortSignal;

  private isRateLimited = false;

  /** n8n copies the whole node whenever it is asked for it. */
  private readonly node: INode;

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
    ProcessMemory.prune(now);
  }

  /** Whether no further request may begin in this poll. */
  get isTimeUp(): boolean {
    return this.clock.now() + (this.retryAfterMs ?? 0) >= this.readingDeadline;
  }

  /** ms until requests may be sent again after a 429 with Retry-After; undefined when they may. */
  get retryAfterMs(): number | undefined {
    const limit = retryAfter.get(this.workspace, this.clock.now());
    return limit && limit.at - this.clock.now();
  }

  /** Whether a poll has failed by the 429. */
  get isRateLimitReported(): boolean {
    return retryAfter.get(this.workspace, this.clock.now())?.isReported === true;
  }

  /** Notes that the poll fails, so that polls before Retry-After need not say so again. */
  noteReported(): void {
    const limit = retryAfter.get(this.workspace, this.clock.now());
    if (limit !== undefined) limit.isReported = true;
  }

  /** One page of a form's submissions. @throws NodeApiError */
  async readSubmissions(formId: string, { after, order, page }: PageQuery, signal?: AbortSignal): Promise<Page> {
    const subject = formSubject(formId);
    const bound = after === undefined ? {} : { submitted_after: new Date(after).toISOString() };
    const query = { ...bound, order, page, page_size: PAGE_SIZE };
    const response = await this.get(subject, submissionsPath(formId), query, signal);
    return await this.parse(subject, () => {
      const read = parseSubmissions(response);
      if (
        !isSorted(
          read.rows.map(({ createdMs }) => createdMs),
          order,
        )
      ) {
        throw new UnexpectedResponse(`the submissions are not in the order asked for (order=${order})`);
      }
      return read;
    });
  }

  /** One page of the list of all forms. @throws NodeApiError */
  async readForms(page: number, signal?: AbortSignal): Promise<Page> {
    const subject: Subject = { what: 'forms' };
    const response = await this.get(subject, FORMS, { order: 'asc', page, page_size: PAGE_SIZE }, signal);
    return await this.parse(subject, () => parsePage(response, 'forms'));
  }

  /** A form's title and questions. @throws NodeApiError */
  async readForm(formId: string): Promise<FormDetails> {
    return parseFormDetails((await this.get(formSubject(formId), formPath(formId))).body);
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
    return await request(
      context,
      { method: 'GET', baseURL: workspace, url: path, qs: query },
      {
        subject,
        clock,
        limiter,
        retryLimitMs: Math.max(0, this.readingDeadline - clock.now()),
        signals: [this.hardDeadline, signal],
        onOutcome: (outcome) => this.noteRetryAfter(outcome),
      },
    );
  }

  private noteRetryAfter(outcome: ApiResponse | RequestFailure): void {
    const { workspace, clock } = this;
    // Responses to requests that were in flight together with the refused one say nothing about later ones.
    if ('body' in outcome && !this.isRateLimited) retryAfter.delete(workspace);
    if (!('kind' in outcome) || outcome.kind !== 'status' || outcome.status !== 429) return;
    this.isRateLimited = true;
    const waitMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
    retryAfter.set(workspace, { at: clock.now() + waitMs, isReported: false }, clock.now(), waitMs);
  }
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
export function toPollError(
  context: Pick<IPollFunctions, 'getNode'>,
  error: unknown,
): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return toNodeApiError(
    context.getNode(),
    { kind: 'unreadable', reason: 'unexpected shape', detail },
    { what: 'forms' },
  );
}

/** n8n tells the budget since 2.38. */
function budgetOf(context: IPollFunctions): number {
  return 'getPollBudgetMs' in context && typeof context.getPollBudgetMs === 'function'
    ? context.getPollBudgetMs()
    : MAX_BUDGET_MS;
}
