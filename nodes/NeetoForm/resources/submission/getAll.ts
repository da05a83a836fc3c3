import { SUBMISSIONS } from '../../api/endpoints';
import type { Row } from '../../api/parse';
import { readSubmissionsPage } from '../../api/service';
import { attachFiles } from '../../downloads/attach';
import { findForm, readFormDetails } from '../../execution/findForm';
import { formLocator } from '../../fields/formLocator';
import { orderField, returnAllAndLimit, sortField } from '../../fields/paging';
import { filtersOf, optionsOf } from '../../fields/shapes';
import { searchFilter, submittedAfterFilter, submittedBeforeFilter } from '../../fields/submissionFilters';
import { allOutputOptions, outputField } from '../../fields/submissionOutput';
import type { List } from '../../lists/list';
import { readList } from '../../lists/readList';
import { parseDownloadSettings } from '../../parameters/downloadSettings';
import { readLimit, readSubmittedDates } from '../../parameters/listSettings';
import { needsForm, parseOutputOptions } from '../../parameters/outputOptions';
import { requireOption, requireTrimmedText } from '../../parameters/values';
import { createExtractor, searchableText } from '../../submissions/extract';
import { toItems } from '../../submissions/toItems';
import { hasWords, searchWords } from '../../text';
import type { OperationDescription } from '../describeResource';

export const getManySubmissions: OperationDescription = {
  name: 'Get Many',
  value: 'getAll',
  action: 'Get many submissions',
  description: 'Get the submissions of a form with their answers',
  route: { method: 'GET', url: SUBMISSIONS },
  fields: [
    formLocator,
    ...returnAllAndLimit,
    outputField,
    filtersOf([searchFilter, submittedAfterFilter, submittedBeforeFilter]),
    optionsOf(allOutputOptions),
    sortField,
  ],
  run: async (operation) => {
    const { get, read } = operation;
    const limit = readLimit(read);
    const options = parseOutputOptions(read, { addFormIdToRaw: false, refuseUnknownQuestions: true });
    const downloadSettings = options.downloadFiles ? parseDownloadSettings(read) : undefined;
    const { after, before } = readSubmittedDates(read);
    const words = searchWords(read.within('filters').optional(searchFilter, requireTrimmedText));
    const order = read.within('sort').value(orderField, requireOption);

    const target = await findForm(operation);
    const details = needsForm(options) ? readFormDetails(operation, target.id) : undefined;
    // Without this, Node.js would report a failure as unhandled while the rows are read. `await details` throws it later.
    details?.catch(() => undefined);
    const extract = createExtractor(options);
    const resultOf = ({ data }: Row) => extract(data);
    const matches = words.length === 0 ? undefined : ({ data }: Row) => hasWords(searchableText(data), words);
    const readPage: List<unknown>['readPage'] = async (asked, signal) =>
      await readSubmissionsPage(get, target, asked, signal);
    const list = { key: 'submissions', order, after, before, limit, readPage, matches, resultOf } as const;
    const submissions = await readList(list);
    const items = toItems(submissions, await details, target.id, options);
    // n8n does not know the key `files` of these items.
    if (downloadSettings === undefined) return items.map(({ json }) => ({ json }));
    const attached = await attachFiles(items, { ...operation.downloads, ...downloadSettings, output: options.output });
    return attached.map(({ item }) => item);
  },
};
