import type { IDataObject } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../api/endpoints';
import type { Row } from '../api/parse';
import { limitField, returnAllField } from '../fields/paging';
import { submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import type { List } from '../lists/list';
import { readList } from '../lists/readList';
import type { FieldReader } from '../parameters/reader';
import { invalidValue, requireBoolean, requireDate, requireWholeNumber } from '../parameters/values';
import type { Operation, ServiceRequest } from './operation';

/** Reads how many results are wanted. @returns Infinity with Return All @throws UserError when a value is wrong */
export function readLimit(read: FieldReader): number {
  return read.value(returnAllField, requireBoolean) ? Infinity : read.value(limitField, requireWholeNumber);
}

/** Reads Submitted After and Submitted Before, in ms since 1970. @throws UserError when a bound is no date, or the range is empty */
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

/** Reads a list completely, or up to its limit. @throws NodeApiError when a request fails; UserError when the list is too long or inconsistent */
export async function readRows<T>(
  { send }: Operation,
  list: Omit<List<T>, 'request'>,
  sent: ServiceRequest = {},
): Promise<T[]> {
  const request: List<T>['request'] = async (query, parse, signal) =>
    await send({ ...sent, query: { ...sent.query, ...query }, signal }, parse);
  return await readList({ ...list, request });
}

/** Reads the team members, removed ones included. @throws what `readRows` throws */
export async function readMembers(operation: Operation, query: IDataObject = {}): Promise<Row[]> {
  const sent = { method: 'GET', path: TEAM_MEMBERS, query } as const;
  return await readRows(operation, { key: 'team_members', resultOf: (row) => row }, sent);
}

/** Whether a team member has an email address. The service's own filter by address is not documented, so its result is compared, too. */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return typeof email === 'string' && email.toLowerCase() === wanted.toLowerCase();
}
