import type { IDataObject } from 'n8n-workflow';
import { createdFrom, pageQuery, TEAM_MEMBERS } from '../api/endpoints';
import { unlessBehindEnd } from '../api/errors';
import { goesOnBehindTotal, type List } from '../api/list';
import { isTotalInDoubt, parsePage, type Asked, type Row } from '../api/parse';
import { limitField, returnAllField } from '../fields/paging';
import { submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import type { FieldReader } from '../parameters/reader';
import { refusal, requireBoolean, requireDate, requireWholeNumber } from '../parameters/values';
import type { Operation, ServiceRequest, Target } from './operation';

/** How many results are wanted: Infinity with Return All. @throws UserError */
export function readLimit(read: FieldReader): number {
  return read.required(returnAllField, requireBoolean) ? Infinity : read.required(limitField, requireWholeNumber);
}

/** The range of the filters, ms since 1970. @throws UserError when nothing can be between the bounds */
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

/** Reads a list: that of the operation's route, unless `sent` names another. @throws as `readList` and `send` */
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

/** The team members of the workspace, removed ones included. @param query narrows them */
export async function readMembers(operation: Operation, query: IDataObject = {}): Promise<Row[]> {
  const sent = { method: 'GET', path: TEAM_MEMBERS, query } as const;
  return await readRows(operation, { key: 'team_members', keep: (row) => row }, sent);
}

/** Whether a team member has an address, in any case: the interface does not name the filter by which it is asked for. */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return typeof email === 'string' && email.toLowerCase() === wanted.toLowerCase();
}
