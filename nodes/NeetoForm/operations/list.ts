import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { readCompletely, type List } from '../api/completeList';
import { createdFrom, pageQuery, type ListKey } from '../api/endpoints';
import { isInRange, type DateRange } from '../api/pages';
import { parsePage, parseSubmissions, type Row } from '../api/parse';
import { limitField, returnAllField } from '../fields/paging';
import type { FieldReader } from '../fields/reader';
import { defineOperation, type PaginationHook } from './defineOperation';
import type { Operation, ServiceRequest } from './operation';

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
const MAX_ITEMS = limitField.typeOptions?.maxValue ?? Infinity;

const TOO_MANY =
  'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item.';

/** What a list operation asks for. */
export interface ListRequest extends Pick<ServiceRequest, 'path' | 'query'> {
  /** Whether a row is wanted, for what the service is not asked or may ignore. Default: every row is. */
  matches?: (row: Row) => boolean;
  /** The order that is asked for, by creation time. Default: that of the range. */
  order?: DateRange['order'];
  /** The creation times to read. */
  range?: Omit<DateRange, 'countFrom'>;
}

interface ListOperation {
  /** The key of the rows in the response. */
  key: ListKey;
  /** What to ask for, from the parameters; throws UserError on a bad one. Default: everything. */
  request?: (operation: Operation) => ListRequest;
  /** Collects the rows and makes items of them. Default: the rows are the items' data. */
  items?: (operation: Operation, collect: Collect) => Promise<INodeExecutionData[]>;
}

/** Returns what `keep` makes of each wanted row, as soon as its page is there, so that no whole row waits for the last page. */
export type Collect = <T extends object>(keep: (row: Row) => T) => Promise<T[]>;

/** An operation that reads a list, page by page, and returns one item per row. */
export function list({ key, request = () => ({}), items = rowsAsItems }: ListOperation): PaginationHook {
  return defineOperation(async (operation) => {
    const { path, query, matches, range, order } = request(operation);
    const readPage = async (page: number, signal?: AbortSignal, bounds: IDataObject = {}) => {
      const paged = { ...query, ...pageQuery(key, page), ...bounds };
      const response = await operation.send({ path, query: paged }, signal);
      return key === 'submissions' ? parseSubmissions(response) : parsePage(response, key);
    };
    const countFrom = async (ms: number) => await readPage(1, undefined, { ...createdFrom(ms), order: 'asc' });
    const isWanted = (row: Row) => (!range || isInRange(range, row)) && matches?.(row) !== false;
    const source = {
      readPage,
      range: range && { ...range, countFrom },
      isFiltered: matches !== undefined || range?.before !== undefined,
      order,
    };
    const readList = readerOf(operation.read);
    const collect: Collect = async (keep) =>
      await readList({ ...source, pick: (row) => (isWanted(row) ? keep(row) : undefined) });
    return await items(operation, collect);
  });
}

async function rowsAsItems(_operation: Operation, collect: Collect): Promise<INodeExecutionData[]> {
  return await collect(({ data }) => ({ json: data }));
}

/** Reads a list as Return All and Limit say. */
function readerOf(read: FieldReader): <T>(list: List<T>) => Promise<T[]> {
  if (!read.boolean(returnAllField)) {
    const limit = read.wholeNumber(limitField, TOO_MANY);
    return async (source) => await readCompletely(source, { limit });
  }
  return async (source) => {
    const check = (total: number | undefined, results: number) => {
      const isCounted = total !== undefined && source.isFiltered !== true;
      if ((isCounted ? total : results) > MAX_ITEMS) throw tooMany(isCounted ? total : `more than ${MAX_ITEMS}`);
    };
    return await readCompletely(source, { check });
  };
}

function tooMany(count: number | string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    description: `${TOO_MANY} Or turn off Return All and set a limit.`,
  });
}
