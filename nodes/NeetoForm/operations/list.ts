import type { INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { PAGE_SIZE } from '../api/endpoints';
import { collectAll, collectSome, type PageReader, type Selection } from '../api/pages';
import { parsePage } from '../api/parse';
import type { Row } from '../api/types';
import { requireBoolean, requireWholeNumber } from '../parameters';
import { defineOperation, type OperationRun, type PaginationHook } from './defineOperation';

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
export const MAX_ITEMS = 120_000;

const TOO_MANY =
  'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item.';

const EVERY_ROW: Selection = { takes: () => true, endsEarly: false, narrows: false };

interface ListOperation {
  /** The key of the rows in the response. */
  key: 'forms' | 'submissions' | 'team_members';
  /** `page` for forms and submissions, `page_number` for team members. */
  pageParameter: 'page' | 'page_number';
  /**
   * Completes the request with checked values; throws UserError on a bad one.
   *
   * @returns which rows are wanted, for what the service is not asked or may ignore; undefined for every row
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
    const selection = prepare?.(operation) ?? EVERY_ROW;
    const read = async (page: number) =>
      parsePage(await operation.send({ [pageParameter]: page, page_size: PAGE_SIZE }), key);
    return await toItems(operation, collector(operation, read, selection));
  });
}

async function rowsAsItems(_operation: OperationRun, collect: Collect): Promise<INodeExecutionData[]> {
  return await collect((json) => ({ json }));
}

function collector({ parameter }: OperationRun, read: PageReader, selection: Selection): Collect {
  if (!requireBoolean('Return All', parameter('returnAll', false))) {
    const limit = requireWholeNumber('Limit', parameter('limit', 50), { min: 1, max: MAX_ITEMS, hint: TOO_MANY });
    return async (keep) => await collectSome(read, limit, selection, keep);
  }
  const check = (total: number | undefined, taken: number) => {
    const isCounted = total !== undefined && !selection.narrows;
    if ((isCounted ? total : taken) > MAX_ITEMS) throw tooMany(isCounted ? total : `more than ${MAX_ITEMS}`);
  };
  return async (keep) => await collectAll(read, selection, check, keep);
}

function tooMany(count: number | string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    description: `${TOO_MANY} Or turn off Return All and set a limit.`,
  });
}
