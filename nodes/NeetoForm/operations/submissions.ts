import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { createdFrom, formPath, pageQuery } from '../api/endpoints';
import { isTransient, unlessHidden } from '../api/errors';
import { parseForm, parsePage, type Page } from '../api/parse';
import { attachFiles } from '../downloads/attach';
import { parseDownloadSettings, type DownloadSettings } from '../downloads/settings';
import { orderField } from '../fields/paging';
import type { FieldReader } from '../parameters/reader';
import { searchFilter, submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import { hasWords, wordsOf } from '../json';
import { refusal } from '../parameters/values';
import { createExtractor, searchableText } from '../submissions/extract';
import { needsForm, parseOutputOptions, type OutputOptions } from '../submissions/outputOptions';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import type { Collect, ListRequest } from './list';
import type { Operation } from './operation';

/** Asks the service for submissions from a time on, and holds both bounds on our side too: it may ignore the lower one. */
export function submissionsRequest(operation: Operation): ListRequest {
  const { read } = operation;
  const { after, before } = dateRange(read);
  const order = read.within('sort').option(orderField);
  const options = parseOutputOptions(read, false);
  const settings = options.downloadFiles ? parseDownloadSettings(read) : undefined;
  const isBounded = after !== undefined || before !== undefined;
  const words = wordsOf(read.optional('filters', 'refuse expressions').text(searchFilter));
  return {
    query: { order, ...createdFrom(after) },
    order,
    range: isBounded ? { after, before } : undefined,
    matches: words.length === 0 ? undefined : ({ data }) => hasWords(searchableText(data), words),
    items: async (collect) => await submissionItems(operation, collect, options, settings),
  };
}

/** Submissions as `Output` says; the form is requested alongside their first page. */
async function submissionItems(
  operation: Operation,
  collect: Collect,
  options: OutputOptions,
  settings: DownloadSettings | undefined,
): Promise<INodeExecutionData[]> {
  const { context, execution, target, connection } = operation;
  const extract = createExtractor(options);
  if (needsForm(options)) void requestForm(operation, 0).catch(() => undefined);
  const extracted = await collect(({ data }) => extract(data));
  const form = needsForm(options) ? await formOf(operation) : undefined;
  const items = toItems(extracted, form, target.id, options);
  if (settings === undefined) return items.map(({ json }) => ({ json }));
  const attached = await attachFiles(items, {
    sender: context,
    ...connection,
    ...execution.files,
    clock: systemClock,
    ...settings,
    output: options.output,
  });
  return attached.map(({ item }) => item);
}

/** The form's title and questions: what was requested beside the list, or what comes after further tries. */
async function formOf(operation: Operation): Promise<FormDetails | undefined> {
  const first = requestForm(operation, 0);
  const isWorthTrying = await first.then(() => false, isTransient);
  return await (isWorthTrying ? requestForm(operation) : first);
}

/**
 * Requests a form's title and questions, once for all input items of an execution: first without a retry, so that nothing is
 * requested in vain for an input item whose list fails.
 *
 * @returns undefined when the service does not show the form: its submissions are returned all the same
 */
async function requestForm({ execution, target, get }: Operation, limitMs?: number): Promise<FormDetails | undefined> {
  const { forms } = execution;
  const key = `${target.id} ${limitMs ?? ''}`;
  const read = async () =>
    await get(formPath(target.id), {}, (response) => parseFormDetails(parseForm(response)), limitMs);
  const form = forms.get(key) ?? unlessHidden(read());
  forms.set(key, form);
  return await form;
}

/**
 * Counts the submissions within the filters by the totals of the list: those from the lower bound on, less those from the upper one
 * on.
 */
export async function countSubmissions(operation: Operation): Promise<number> {
  const { after, before } = dateRange(operation.read);
  const [from, later] = await Promise.all([
    totalFrom(operation, after),
    before === undefined ? 0 : totalFrom(operation, before),
  ]);
  // Submissions may be deleted between the two requests.
  return Math.max(0, from - later);
}

/** How many submissions were made at a time (ms) or later. */
async function totalFrom(operation: Operation, after: number | undefined): Promise<number> {
  return (await readPage(operation, after, 1, 1)).total;
}

async function readPage(
  { send }: Operation,
  after: number | undefined,
  page: number,
  pageSize?: number,
): Promise<Page> {
  const added = { order: 'asc', ...pageQuery('submissions', page, pageSize) };
  return await send({ query: createdFrom(after), added }, (response) => parsePage(response, 'submissions'));
}

/** The bounds of the filters, ms since 1970. @throws UserError when nothing can be between them */
function dateRange(read: FieldReader): { after?: number; before?: number } {
  const filters = read.optional('filters', 'refuse expressions');
  const after = filters.date(submittedAfterFilter);
  const before = filters.date(submittedBeforeFilter);
  if (after === undefined || before === undefined || after < before) return { after, before };
  const [from, to] = [after, before].map((ms) => new Date(ms).toISOString());
  throw refusal(
    `'Submitted After' is not before 'Submitted Before': ${from} and ${to}`,
    'Enter a range of time, with the earlier time in Submitted After. Nothing was sent.',
  );
}
