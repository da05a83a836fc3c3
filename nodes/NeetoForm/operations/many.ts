import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { PAGE_SIZE } from '../api/endpoints';
import { collectAll, collectSome, type PageReader, type Selection } from '../api/pages';
import { parsePage } from '../api/parse';
import type { Row } from '../api/types';
import { operation, type About, type Call, type Operation, type Prepare } from './operation';

/** n8n's engine overflows its stack when one input item gives more (`n8n-engine.md`: 125,000 pass, 126,000 do not). */
export const MAX_ITEMS = 120_000;

const EVERY_ROW: Selection = { takes: () => true, endsEarly: false, narrows: false };

interface Many {
  about: About;
  /** The key of the rows in the answer. */
  list: 'forms' | 'submissions' | 'team_members';
  /** `page` for forms and submissions, `page_number` for team members (`service-api.md`, "Limits 2"). */
  pageParameter: 'page' | 'page_number';
  prepare?: Prepare[];
  /** What the service is not asked, or may not honour, is decided here, row by row. Undefined: every row is taken. */
  select?: (call: Call) => Selection | undefined;
  /** Collects the rows and makes them items; when left out, the rows are the items' data. */
  present?: (call: Call, collect: Collect) => Promise<INodeExecutionData[]>;
}

/** Gives what is kept of each wanted row; made when its page comes in, so that no whole row waits in memory for the last page. */
export type Collect = <T extends object>(keep: (row: Row) => T) => Promise<T[]>;

/** An operation that reads a list, page by page, and gives one item per row. */
export function many({ about, list, pageParameter, prepare = [], select, present = presentAsIs }: Many): Operation {
  return operation(about, async (call) => {
    for (const step of prepare) step(call);
    const read = async (page: number) =>
      parsePage(await call.send({ query: { [pageParameter]: page, page_size: PAGE_SIZE } }), list);
    return await present(call, collectorOf(call, read, select?.(call)));
  });
}

async function presentAsIs(_call: Call, collect: Collect): Promise<INodeExecutionData[]> {
  return await collect((json) => ({ json }));
}

function collectorOf(call: Call, read: PageReader, selection = EVERY_ROW): Collect {
  if (call.context.getNodeParameter('returnAll', false) !== true) {
    const limit = limitOf(call);
    return async (keep) => await collectSome(read, limit, selection, keep);
  }
  const check = (total: number | undefined, taken: number) => {
    const isCounted = total !== undefined && !selection.narrows;
    if ((isCounted ? total : taken) > MAX_ITEMS) throw tooMany(call, isCounted ? total : 'more than');
  };
  return async (keep) => await collectAll(read, selection, check, keep);
}

function limitOf({ context }: Call): number {
  const limit = Number(context.getNodeParameter('limit', 50));
  if (limit >= 1) return limit;
  throw new NodeOperationError(context.getNode(), "'Limit' is less than 1", {
    description: 'Enter how many results you want, or turn on Return All.',
  });
}

function tooMany({ context }: Call, total: number | 'more than'): NodeOperationError {
  return new NodeOperationError(
    context.getNode(),
    `The list is too long for one input item: ${total === 'more than' ? `more than ${MAX_ITEMS}` : total} results`,
    {
      description: `n8n can take about ${MAX_ITEMS} results per input item. Narrow the list with the filters, for example one month of submissions per input item, or turn off Return All and set a limit.`,
    },
  );
}
