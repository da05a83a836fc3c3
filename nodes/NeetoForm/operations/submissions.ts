import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { formPath } from '../api/endpoints';
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
  const [extracted, form] = await Promise.all([
    collect(createExtractor(options)),
    needsForm(options) ? readForm(operation) : undefined,
  ]);
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

/** @returns undefined when the form cannot be read: its submissions are returned all the same */
async function readForm({ id, get }: OperationRun): Promise<FormDetails | undefined> {
  try {
    return parseFormDetails((await get(formPath(id))).body);
  } catch {
    return undefined;
  }
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
