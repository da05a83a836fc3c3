import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { createdFrom, LIST_NAMES, pageQuery, TEAM_MEMBERS, type ListKey } from '../api/endpoints';
import { parsePage, type Asked, type Row } from '../api/parse';
import { readList, readWhole, type DateRange, type List } from '../api/readList';
import { limitField, returnAllField } from '../fields/paging';
import type { FieldReader } from '../parameters/reader';
import { requireBoolean, requireWholeNumber } from '../parameters/values';
import type { Operation, ServiceRequest } from './operation';

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
const MAX_ITEMS = limitField.typeOptions?.maxValue ?? Infinity;

/** The rows that a list operation reads, and what it keeps of each. */
interface RowsRequest<T> extends ServiceRequest {
  /** From `readLimit`. */
  limit: number;
  order?: List<T>['order'];
  /** The creation times to read. */
  range?: Omit<DateRange, 'countFrom'>;
  /** Whether a row is wanted, for what the service is not asked. Default: every row is. */
  matches?: (row: Row) => boolean;
  /** Makes of a row what is kept of it, as soon as its page is there, so that no whole row waits for the last page. */
  keep: (row: Row) => T;
}

/** How many results are wanted: Infinity with Return All. @throws UserError */
export function readLimit(read: FieldReader): number {
  return read.required(returnAllField, requireBoolean) ? Infinity : read.required(limitField, requireWholeNumber);
}

/**
 * Reads the rows of the list that the operation's route names.
 *
 * @returns what is kept of each, in the list's order
 * @throws NodeApiError when a page cannot be read; UserError when there are too many, or the list changes all the time
 */
export async function readRows<T extends object>(
  { send }: Operation,
  key: ListKey,
  { limit, order, range, matches, keep, query, ...sent }: RowsRequest<T>,
): Promise<T[]> {
  const readPage = async (page: number, asked: Asked, signal?: AbortSignal) =>
    await send(
      { ...sent, query: { ...query, order: asked.order, ...createdFrom(asked.after), ...pageQuery(key, page) } },
      (response) => parsePage(response, key, asked),
      signal,
    );
  const results = await readList({
    name: LIST_NAMES[key],
    readPage: async (page, signal) => await readPage(page, { order, after: range?.after }, signal),
    order,
    range: range && {
      ...range,
      countFrom: async (ms, signal) => await readPage(1, { order: 'desc', after: ms }, signal),
    },
    pick: (row) => (matches?.(row) === false ? undefined : keep(row)),
    isFiltered: matches !== undefined,
    limit: Math.min(limit, MAX_ITEMS + 1),
    checkCount: (rows) => {
      if (limit === Infinity && matches === undefined && rows > MAX_ITEMS) throw tooMany(String(rows));
    },
  });
  if (results.length > MAX_ITEMS) throw tooMany(`more than ${MAX_ITEMS}`);
  return results;
}

function tooMany(count: string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    description:
      'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item. Or turn off Return All and set a limit.',
  });
}

/** The team members of the workspace, removed ones included. @param query narrows them */
export async function readMembers({ get }: Operation, query: IDataObject = {}): Promise<Row[]> {
  return await readWhole(
    'team_members',
    async (page) =>
      await get(TEAM_MEMBERS, { ...query, ...pageQuery('team_members', page) }, (response) =>
        parsePage(response, 'team_members'),
      ),
  );
}

/** Whether a team member has an address, in any case: the interface does not name the filter by which it is asked for. */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return typeof email === 'string' && email.toLowerCase() === wanted.toLowerCase();
}
