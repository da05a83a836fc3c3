import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../../api/clock';
import { SUBMISSIONS } from '../../api/endpoints';
import { attachFiles } from '../../downloads/attach';
import { parseDownloadSettings } from '../../downloads/settings';
import { optionsOf } from '../../fields/collections';
import { formLocator } from '../../fields/formLocator';
import { orderField, returnAllAndLimit, sortField } from '../../fields/paging';
import { searchFilter, submissionFilters } from '../../fields/submissionFilters';
import { outputField, outputOptions } from '../../fields/submissionOutput';
import { hasWords, wordsOf } from '../../json';
import { findForm } from '../../operations/findForm';
import { startFormDetails } from '../../operations/formDetails';
import { defineOperation, type Operation } from '../../operations/operation';
import { readLimit, readRows } from '../../operations/rows';
import { readSubmittedDates } from '../../operations/submittedDates';
import { requireOption, requireTrimmedText } from '../../parameters/values';
import { createExtractor, searchableText } from '../../submissions/extract';
import { needsForm, parseOutputOptions } from '../../submissions/outputOptions';
import { toItems } from '../../submissions/toItems';
import type { OperationDescription } from '../describeResource';

async function getMany(operation: Operation): Promise<INodeExecutionData[]> {
  const { read, context, execution, connection } = operation;
  const limit = readLimit(read);
  const options = parseOutputOptions(read, false);
  const downloads = options.downloadFiles ? parseDownloadSettings(read) : undefined;
  const { after, before } = readSubmittedDates(read);
  const words = wordsOf(read.within('filters').optional(searchFilter, requireTrimmedText));
  const order = read.within('sort').required(orderField, requireOption);

  const target = await findForm(operation);
  const formDetails = needsForm(options) ? startFormDetails(operation, target.id) : undefined;
  const extract = createExtractor(options);
  const submissions = await readRows(operation, 'submissions', {
    target,
    order,
    range: after === undefined && before === undefined ? undefined : { after, before },
    limit,
    matches: words.length === 0 ? undefined : ({ data }) => hasWords(searchableText(data), words),
    keep: ({ data }) => extract(data),
  });
  const items = toItems(submissions, await formDetails?.(), target.id, options);
  if (downloads === undefined) return items.map(({ json }) => ({ json }));
  const attached = await attachFiles(items, {
    sender: context,
    ...connection,
    ...execution.files,
    clock: systemClock,
    ...downloads,
    output: options.output,
  });
  return attached.map(({ item }) => item);
}

export const getManySubmissions: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many submissions',
    description: 'Get the submissions of a form with their answers',
  },
  route: { method: 'GET', url: SUBMISSIONS },
  run: defineOperation(getMany),
  fields: [formLocator, ...returnAllAndLimit, outputField, submissionFilters, optionsOf(outputOptions), sortField],
};
