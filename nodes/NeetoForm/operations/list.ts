import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { readCompletely } from '../api/completeList';
import { createdFrom, pageQuery, type ListKey } from '../api/endpoints';
import type { DateRange, NumberedList } from '../api/pages';
import { parsePage, type Row } from '../api/parse';
import { limitField, returnAllField } from '../fields/paging';
import { defineOperation, type PaginationHook } from './defineOperation';
import type { Operation, ServiceRequest } from './operation';

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
const MAX_ITEMS = limitField.typeOptions?.maxValue ?? Infinity;

const TOO_MANY =
  'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item.';

/** What a list operation asks for, and what it makes of it. */
export interface ListRequest extends Pick<ServiceRequest, 'path' | 'query'>, Pick<NumberedList, 'order'> {
  /** Whether a row is wanted, for what the service is not asked or may ignore. Default: every row is. */
  matches?: (row: Row) => boolean;
  /** The creation times to read. */
  range?: Omit<DateRange, 'countFrom'>;
  /** Collects the rows and makes items of them. Default: the rows are the items' data. */
  items?: (collect: Collect) => Promise<INodeExecutionData[]>;
}

/** Returns what `keep` makes of each wanted row, as soon as its page is there, so that no whole row waits for the last page. */
export type Collect = <T extends object>(keep: (row: Row) => T) => Promise<T[]>;

const ROWS_AS_ITEMS = async (collect: Collect) => await collect(({ data }) => ({ json: data }));

/**
 * An operation that reads a list, page by page, and returns one item per row.
 *
 * @param key the key of the rows in the response
 * @param request what to ask for, from the parameters; throws UserError on a bad one
 */
export function list(key: ListKey, request: (operation: Operation) => ListRequest): PaginationHook {
  return defineOperation(async (operation) => {
    const { path, query, matches, range, order, items = ROWS_AS_ITEMS } = request(operation);
    const { read, send } = operation;
    const isLimited = !read.boolean(returnAllField);
    const limit = isLimited ? read.wholeNumber(limitField, TOO_MANY) : MAX_ITEMS + 1;
    const isFiltered = matches !== undefined;
    const isCounted = !isFiltered && range?.before === undefined;
    const readFrom = async (page: number, signal?: AbortSignal, bounds: IDataObject = {}) =>
      await send(
        { path, query, added: { ...pageQuery(key, page), ...bounds } },
        (response) => parsePage(response, key),
        signal,
      );
    const readPage = async (number: number, signal?: AbortSignal) => {
      const page = await readFrom(number, signal);
      if (!isLimited && isCounted && page.total > MAX_ITEMS) throw tooMany(String(page.total));
      return page;
    };
    const countFrom = async (ms: number) => await readFrom(1, undefined, { ...createdFrom(ms), order: 'asc' });
    const source = { readPage, order, range: range && { ...range, countFrom }, isFiltered };
    return await items(async (keep) => {
      const pick = (row: Row) => (matches?.(row) === false ? undefined : keep(row));
      const results = await readCompletely({ ...source, pick }, { limit });
      if (results.length > MAX_ITEMS) throw tooMany(`more than ${MAX_ITEMS}`);
      return results;
    });
  });
}

function tooMany(count: string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    description: `${TOO_MANY} Or turn off Return All and set a limit.`,
  });
}
