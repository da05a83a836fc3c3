import type { IDataObject } from 'n8n-workflow';
import { createdFrom, pageQuery, TEAM_MEMBERS } from '../api/endpoints';
import { changesTooMuch, contradictsRange, endsTooSoon, goesOnPastTotal, unlessPastEnd, type List } from '../api/list';
import { parsePage, type Row } from '../api/parse';
import { limitField, returnAllField } from '../fields/paging';
import { submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import type { FieldReader } from '../parameters/reader';
import { invalidValue, requireBoolean, requireDate, requireWholeNumber } from '../parameters/values';
import type { Operation, ServiceRequest, Target } from './operation';

/** How often a range is counted at most, when its form changes each time. */
const MAX_COUNTS = 5;

/** Reads how many results are wanted: Infinity with Return All. @throws UserError when Return All or Limit has a wrong value */
export function readLimit(read: FieldReader): number {
  return read.value(returnAllField, requireBoolean) ? Infinity : read.value(limitField, requireWholeNumber);
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
  throw invalidValue(
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
 * Counts the submissions of a form: those that were created at `after` or later, less those that were created at `before` or later. Both
 * numbers are totals of the service.
 *
 * A submission that is added or deleted between the two requests is in one of the totals only, and the difference would be wrong by one. So
 * the first total is requested again, after the second. If it has changed, the range is counted again. (A submission that is added while another
 * is deleted goes unnoticed.)
 *
 * @param range the bounds in ms since 1970. Default: all submissions
 * @throws NodeApiError when a request fails; UserError when the totals contradict the rows, or the form changed during each count
 */
export async function countRange(
  operation: Operation,
  target: Target,
  { after, before }: ReturnType<typeof readSubmittedDates>,
): Promise<number> {
  for (let counts = 1; counts <= MAX_COUNTS; counts++) {
    const from = await countFrom(operation, target, after);
    if (before === undefined) return from.total;
    const later = await countFrom(operation, target, before);
    const again = await countFrom(operation, target, after);
    if (again.total !== from.total) continue;
    const count = from.total - later.total;
    // The range is empty if the oldest submission from the lower bound on is beyond the upper bound, or if there is none.
    const isEmpty = from.oldestMs === undefined || from.oldestMs >= before;
    if (isEmpty ? count === 0 : count > 0) return count;
    throw contradictsRange('submissions', from.total, later.total);
  }
  throw changesTooMuch('submissions');
}

/** How many submissions there are from a time on. */
interface Counted {
  total: number;
  /** ms: when the oldest of them was created. Undefined when there is none. */
  oldestMs?: number;
}

/**
 * Counts the submissions of a form by the total of a page with one row. If the total is 1, the service may have counted only the row of that
 * page. Then page 2 shows whether there are more.
 *
 * @param after ms: only those created at this time or later. Default: all.
 * @throws NodeApiError when a request fails; UserError when there is no row although the total is not 0, or when the total is 1 and page 2 shows
 * another row (which was not just added)
 */
async function countFrom({ send }: Operation, target: Target, after: number | undefined): Promise<Counted> {
  const readPage = async (page: number) => {
    const query = { order: 'asc', ...createdFrom(after), ...pageQuery('submissions', page, 1) };
    // If the service rounds the bound down, its total is wrong, because it counts submissions from before the bound, too. So a submission
    // from before the bound is refused. One second is tolerated: the service may show creation times without their fraction of a second.
    const asked = { after, tolerance: 1_000, page, pageSize: 1 };
    return await send({ target, query }, (response) => parsePage(response, 'submissions', asked));
  };
  for (let tries = 1; tries <= 2; tries++) {
    const { rows, total } = await readPage(1);
    const [oldest] = rows;
    if (oldest === undefined && total > 0) throw endsTooSoon('submissions', 0, total);
    const counted = { total, oldestMs: oldest?.createdMs };
    if (total !== 1) return counted;
    const next = await unlessPastEnd(readPage(2));
    const isOnlyRow = next === undefined || next.rows.every(({ id }) => id === oldest?.id);
    if (isOnlyRow) return counted;
    // The total has not grown, so it is wrong. If it has grown, a submission was added after page 1 was read, and the second try counts it.
    if (next.total <= total) break;
  }
  throw goesOnPastTotal('submissions', 1);
}

/**
 * Reads the team members of the workspace, removed ones included.
 *
 * @param query filters that the service applies
 * @throws NodeApiError when the service refuses a page, or does not answer; UserError when the list cannot be read completely
 */
export async function readMembers(operation: Operation, query: IDataObject = {}): Promise<Row[]> {
  const sent = { method: 'GET', path: TEAM_MEMBERS, query } as const;
  return await readRows(operation, { key: 'team_members', resultOf: (row) => row }, sent);
}

/**
 * Whether a team member has an email address, in upper or lower case. Every member that the service returns is compared with it: the filter
 * by address is not documented, and a service that ignored it would return other members.
 */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return typeof email === 'string' && email.toLowerCase() === wanted.toLowerCase();
}
