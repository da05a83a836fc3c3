import type { IDataObject, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { PAGE_SIZE, submissionsPath } from '../api/endpoints';
import type { Clock } from '../api/clock';
import type { Subject } from '../api/errors';
import { createdMs, parsePage, parseSubmission } from '../api/parse';
import { request, type ApiResponse } from '../api/request';
import { UnexpectedResponse } from '../api/shape';
import type { ConcurrencyLimiter } from '../api/concurrencyLimiter';
import type { Page, Submission } from '../api/types';

/** Submissions from a time on, as one answer shows them; `total` counts from that time on too. */
export type SubmissionPage = Page<Submission>;

export interface Question {
  /** ms, a whole second: the service may be finer than what it prints, or round what it is asked. */
  after?: number;
  order: 'asc' | 'desc';
  /** 1, 2, 3 … */
  page: number;
}

/** Asks the service for a page of submissions. */
export type AskForPage = (question: Question) => Promise<SubmissionPage>;

/** What all requests of one poll have in common. */
export interface PollCall {
  context: IPollFunctions;
  /** The workspace's own address. */
  workspace: string;
  clock: Clock;
  /** ms on the clock: no request begins after it. */
  deadline: number;
  /** ms on the clock: no request is under way after it. */
  abandonAt: number;
  /** ms on the clock: no file is under way after it. */
  filesUntil: number;
  /** Holds back forms beyond those that may be read at once. */
  limiter: ConcurrencyLimiter;
}

/** The part of a poll that is about one form. */
export interface FormCall extends PollCall {
  formId: string;
}

/** What the errors about a form are about. */
export function subjectOf({ formId }: FormCall): Subject {
  return { what: 'form', id: formId, parameter: 'Form' };
}

/** Sends one GET of a poll, retried only as long as the poll may last. */
export async function get(
  call: PollCall,
  subject: Subject,
  path: string,
  query: IDataObject = {},
): Promise<ApiResponse> {
  const { context, workspace, clock, deadline, abandonAt, limiter } = call;
  const options: IHttpRequestOptions = {
    method: 'GET',
    baseURL: workspace,
    url: path,
    qs: query,
  };
  return await request(context, options, {
    subject,
    clock,
    retryLimitMs: Math.max(0, deadline - clock.now()),
    signals: [clock.timeout(abandonAt - clock.now())],
    onOutcome: (outcome) => {
      if ('kind' in outcome) limiter.noteFailure(outcome);
    },
  });
}

/**
 * @returns a function that reads pages of one form's submissions; it throws NodeApiError, and UnexpectedResponse when rows have no id or
 *   date or are not in the order asked for
 */
export function askFor(call: FormCall): AskForPage {
  return async ({ after, order, page }) => {
    const bound = after === undefined ? {} : { submitted_after: new Date(after).toISOString() };
    const answer = await get(call, subjectOf(call), submissionsPath(call.formId), {
      ...bound,
      order,
      page,
      page_size: PAGE_SIZE,
    });
    const { rows, total, serverTime } = parsePage(answer, 'submissions');
    const submissions = rows.map(parseSubmission);
    assertOrder(submissions, order);
    return { rows: submissions, total, serverTime };
  };
}

function assertOrder(rows: Submission[], order: Question['order']): void {
  const times = rows.map(createdMs);
  const isOrdered = times.every(
    (time, index) =>
      index === 0 || (order === 'asc' ? time >= (times[index - 1] ?? time) : time <= (times[index - 1] ?? time)),
  );
  if (!isOrdered) throw new UnexpectedResponse(`the submissions are not in the order asked for (order=${order})`);
}
