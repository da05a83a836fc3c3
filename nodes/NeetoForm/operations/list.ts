import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { PAGE_SIZE } from '../api/endpoints';
import { isInRange, readAll, readUpTo, type DateRange, type List } from '../api/lists';
import { parsePage, type Row } from '../api/parse';
import { requireBoolean, requireWholeNumber } from '../parameters';
import { defineOperation, type OperationRun, type PaginationHook } from './defineOperation';

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
export const MAX_ITEMS = 120_000;

const TOO_MANY =
  'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item.';

/** Which rows of a list are wanted, for what the service is not asked or may ignore. */
export interface Selection {
  /** Whether a row is wanted. Default: every row is. */
  matches?: (row: Row) => boolean;
  /** The creation times to read, and the order of the list. */
  range?: Omit<DateRange, 'countFrom'>;
}

interface ListOperation {
  /** The key of the rows in the response. */
  key: 'forms' | 'submissions' | 'team_members';
  /** `page` for forms and submissions, `page_number` for team members. */
  pageParameter: 'page' | 'page_number';
  /**
   * Completes the request with checked values; throws UserError on a bad one.
   *
   * @returns which rows are wanted; undefined for every row
   */
  prepare?: (operation: OperationRun) => Selection | undefined;
  /** Collects the rows and makes items of them. Default: the rows are the items' data. */
  toItems?: (operation: OperationRun, collect: Collect) => Promise<INodeExecutionData[]>;
}

/** Returns what `keep` makes of each wanted row, as soon as its page is there, so that no whole row waits for the last page. */
export type Collect = <T extends object>(keep: (row: Row) => T) => Promise<T[]>;

/** An operation that reads a list, page by page, and returns one item per row. */
export function list({ key, pageParameter, prepare, toItems = rowsAsItems }: ListOperation): PaginationHook {
  return defineOperation(async (operation) => {
    const selection = prepare?.(operation) ?? {};
    const read = async (query: IDataObject, signal?: AbortSignal) =>
      parsePage(await operation.send({ [pageParameter]: 1, page_size: PAGE_SIZE, ...query }, signal), key);
    const source = {
      readPage: async (page: number, signal?: AbortSignal) => await read({ [pageParameter]: page }, signal),
      range: selection.range && { ...selection.range, countFrom: async (ms: number) => await read(createdFrom(ms)) },
      isFiltered: selection.matches !== undefined || selection.range?.before !== undefined,
    };
    return await toItems(operation, collector(operation, source, selection));
  });
}

function createdFrom(ms: number): IDataObject {
  return { submitted_after: new Date(ms).toISOString(), order: 'asc' };
}

async function rowsAsItems(_operation: OperationRun, collect: Collect): Promise<INodeExecutionData[]> {
  return await collect(({ data }) => ({ json: data }));
}

function collector(
  { parameter }: OperationRun,
  source: Omit<List<Row>, 'pick'>,
  { matches, range }: Selection,
): Collect {
  const listOf = <T>(keep: (row: Row) => T): List<T> => ({
    ...source,
    pick: (row) => ((!range || isInRange(range, row)) && matches?.(row) !== false ? keep(row) : undefined),
  });
  if (!requireBoolean('Return All', parameter('returnAll', false))) {
    const limit = requireWholeNumber('Limit', parameter('limit', 50), { min: 1, max: MAX_ITEMS, hint: TOO_MANY });
    return async (keep) => await readUpTo(listOf(keep), limit);
  }
  const check = (total: number | undefined, results: number) => {
    const isCounted = total !== undefined && source.isFiltered !== true;
    if ((isCounted ? total : results) > MAX_ITEMS) throw tooMany(isCounted ? total : `more than ${MAX_ITEMS}`);
  };
  return async (keep) => (await readAll(listOf(keep), { check })).results;
}

function tooMany(count: number | string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    description: `${TOO_MANY} Or turn off Return All and set a limit.`,
  });
}
