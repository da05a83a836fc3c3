import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { formPath, PAGE_SIZE } from '../api/endpoints';
import { isInRange, readAll } from '../api/lists';
import { type Page, parsePage } from '../api/parse';
import { attachFiles } from '../downloads/attach';
import { parseDownloadSettings } from '../downloads/settings';
import { optionalDate } from '../parameters';
import { createExtractor } from '../submissions/extract';
import { needsForm, parseOutputOptions, type OutputOptions } from '../submissions/outputOptions';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import { orderOf } from './filters';
import type { OperationRun } from './defineOperation';
import type { Collect, Selection } from './list';

/** Asks the service for submissions from a time on, and holds both bounds on our side too: it may ignore the lower one. */
export function withinDates(operation: OperationRun): Selection | undefined {
  const { after, before } = dateRange(operation);
  const order = orderOf(operation.parameter);
  operation.query.order = order;
  if (after !== undefined) operation.query.submitted_after = new Date(after).toISOString();
  if (outputOptions(operation).downloadFiles) parseDownloadSettings(operation.parameter);
  return after === undefined && before === undefined ? undefined : { range: { after, before, order } };
}

/** Submissions as `Output` says; the form is read alongside their first page. */
export async function submissionItems(operation: OperationRun, collect: Collect): Promise<INodeExecutionData[]> {
  const { context, id, connection } = operation;
  const options = outputOptions(operation);
  const extract = createExtractor(options);
  const collecting = collect(({ data }) => extract(data));
  const reading = needsForm(options) ? readForm(operation) : undefined;
  const [extracted, form] = await Promise.all([collecting, reading?.form]).catch((error: unknown) => {
    reading?.giveUp();
    throw error;
  });
  const { items, files } = toItems(extracted, form, id, options);
  if (!options.downloadFiles) return items.map((json) => ({ json }));
  const attached = await attachFiles(items, files, {
    ...connection,
    sender: context,
    ...parseDownloadSettings(operation.parameter),
    output: options.output,
    clock: systemClock,
  });
  return attached.map(({ item }) => item);
}

/** The read of a form, for all input items of an execution that need it. */
interface FormRead {
  /** Undefined when the form cannot be read: its submissions are returned all the same. */
  form: Promise<FormDetails | undefined>;
  /** For an input item that failed: when no other one needs the form, it is not requested again. */
  giveUp: () => void;
  readers: number;
}

const formReads = new WeakMap<object, Map<string, FormRead>>();

/** Reads a form's title and questions, once per execution. */
function readForm({ context, id, get }: OperationRun): FormRead {
  const execution = context.getExecuteData();
  const reads = formReads.get(execution) ?? new Map<string, FormRead>();
  formReads.set(execution, reads);
  const read = reads.get(id) ?? startRead(id, get, () => reads.delete(id));
  read.readers++;
  reads.set(id, read);
  return read;
}

function startRead(id: string, get: OperationRun['get'], forget: () => void): FormRead {
  const controller = new AbortController();
  const form = requestForm(id, async (path) => await get(path, {}, controller.signal));
  const read: FormRead = {
    form,
    readers: 0,
    giveUp: () => {
      if (--read.readers > 0) return;
      forget();
      controller.abort();
    },
  };
  return read;
}

async function requestForm(id: string, get: OperationRun['get']): Promise<FormDetails | undefined> {
  try {
    return parseFormDetails((await get(formPath(id))).body);
  } catch {
    return undefined;
  }
}

/**
 * Counts the submissions within the filters by the totals of the list: those from the lower bound on, less those from the upper one
 * on. Where the service gives no total, or ignores a bound, they are read and counted.
 */
export async function countSubmissions(operation: OperationRun): Promise<number> {
  const { after, before } = dateRange(operation);
  operation.query.order = 'asc';
  if (after !== undefined) operation.query.submitted_after = new Date(after).toISOString();
  const [from, later] = await Promise.all([
    totalFrom(operation, after),
    before === undefined ? 0 : totalFrom(operation, before),
  ]);
  if (from !== undefined && later !== undefined) return Math.max(0, from - later);
  const { results } = await readAll({
    readPage: async (page) => await readPage(operation, { page, page_size: PAGE_SIZE }),
    pick: (row) => (isInRange({ after, before }, row) ? row.id : undefined),
    isFiltered: true,
  });
  return results.length;
}

/** How many submissions were made at a time (ms) or later; undefined when the service does not tell. */
async function totalFrom(operation: OperationRun, after: number | undefined): Promise<number | undefined> {
  const bound = after === undefined ? {} : { submitted_after: new Date(after).toISOString() };
  const { rows, total } = await readPage(operation, { ...bound, page: 1, page_size: 1 });
  const [oldest] = rows;
  const isHonored = oldest === undefined || after === undefined || oldest.createdMs >= after;
  if (!isHonored || total === undefined || total < rows.length) return undefined;
  if (total !== 1) return total;
  // A total that counts the rows of the page is 1 too.
  const next = await readPage(operation, { ...bound, page: 2, page_size: 1 });
  return next.rows.every(({ id }) => id === oldest?.id) ? total : undefined;
}

async function readPage({ send }: OperationRun, query: IDataObject): Promise<Page> {
  return parsePage(await send(query), 'submissions');
}

/** The bounds of the filters, ms since 1970. */
function dateRange({ context, filter }: OperationRun): { after?: number; before?: number } {
  const date = (path: string, label: string) => optionalDate(label, filter(path, label), context.getTimezone());
  return {
    after: date('filters.submittedAfter', 'Submitted After'),
    before: date('filters.submittedBefore', 'Submitted Before'),
  };
}

function outputOptions({ parameter }: OperationRun): OutputOptions {
  return parseOutputOptions(parameter, false);
}
