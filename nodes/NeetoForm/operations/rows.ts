import type { IDataObject } from 'n8n-workflow';
import { createdFrom, pageQuery, TEAM_MEMBERS } from '../api/endpoints';
import { goesOnBehindTotal, unlessBehindEnd, type List } from '../api/list';
import { isTotalInDoubt, parsePage, type Asked, type Row } from '../api/parse';
import { limitField, returnAllField } from '../fields/paging';
import { submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import type { FieldReader } from '../parameters/reader';
import { refusal, requireBoolean, requireDate, requireWholeNumber } from '../parameters/values';
import type { Operation, ServiceRequest, Target } from './operation';

/** Reads how many results are wanted: Infinity with Return All. @throws UserError when Return All or Limit has a wrong value */
export function readLimit(read: FieldReader): number {
  return read.required(returnAllField, requireBoolean) ? Infinity : read.required(limitField, requireWholeNumber);
}

/**
 * Reads the filters Submitted After and Submitted Before.
 *
 * @returns the bounds in ms since 1970; undefined for a filter that is not set
 * @throws UserError when a bound is not a date, or the first is not before the second
 */
export function readSubmittedDates(read: FieldReader): { after?: number; before?: number } {
  const filters = read.within('filters');
  const after = filters.optional(submittedAfterFilter, requireDate);
  const before = filters.optional(submittedBeforeFilter, requireDate);
  if (after === undefined || before === undefined || after < before) return { after, before };
  const [from, to] = [after, before].map((ms) => new Date(ms).toISOString());
  throw refusal(
    `'Submitted After' is not before 'Submitted Before': ${from} and ${to}`,
    'Enter a range of time, with the earlier time in Submitted After. Nothing was sent.',
  );
}

/**
 * Reads a list of the service completely, or up to its limit.
 *
 * @param sent the request for the list. Default: the operation's own route
 * @throws NodeApiError when the service refuses a page, or does not answer; UserError when the list is too long, or cannot be read
 * completely because it changes all the time
 */
export async function readRows<T>(
  { send }: Operation,
  list: Omit<List<T>, 'request'>,
  sent: ServiceRequest = {},
): Promise<T[]> {
  const request: List<T>['request'] = async (query, parse, signal) =>
    await send({ ...sent, query: { ...sent.query, ...query }, signal }, parse);
  const { readList } = await import('../api/readList');
  return await readList({ ...list, request });
}

/**
 * Counts the submissions of a form, by the total of a page with one row.
 *
 * @param after ms: only those created at this time or later. Default: all.
 * @throws NodeApiError when the request fails; UserError when the total is 1, but page 2 shows another row: it counts the page alone
 */
export async function countFrom({ send }: Operation, target: Target, after: number | undefined): Promise<number> {
  const readPage = async (number: number, asked: Asked) => {
    const query = { order: 'asc', ...createdFrom(after), ...pageQuery('submissions', number, 1) };
    return await send({ target, query }, (response) => parsePage(response, 'submissions', asked));
  };
  // A submission that was added before page 2 is counted by the second try.
  for (let tries = 1; tries <= 2; tries++) {
    const first = await readPage(1, { after, page: 1, pageSize: 1 });
    if (!isTotalInDoubt(first)) return first.total;
    // Behind the end of a list, some services show its last page again.
    const next = await unlessBehindEnd(readPage(2, { after }));
    const isEnd = next === undefined || next.rows.every(({ id }) => id === first.rows[0]?.id);
    if (isEnd) return first.total;
    if (next.total <= first.total) break;
  }
  throw goesOnBehindTotal('submissions', 1);
}

/**
 * Reads the team members of the workspace, removed ones included.
 *
 * @param query filters that the service applies
 * @throws NodeApiError when the service refuses a page, or does not answer; UserError when the list cannot be read completely
 */
export async function readMembers(operation: Operation, query: IDataObject = {}): Promise<Row[]> {
  const sent = { method: 'GET', path: TEAM_MEMBERS, query } as const;
  return await readRows(operation, { key: 'team_members', keep: (row) => row }, sent);
}

/**
 * Whether a team member has an email address, in any case. Every member that the service returns is compared: the filter by address is not
 * documented, and a service that ignored it would return other members.
 */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return typeof email === 'string' && email.toLowerCase() === wanted.toLowerCase();
}
