import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import type { Row } from '../../api/parse';
import { filtersOf } from '../../fields/collections';
import { orderField, returnAllAndLimit, sortField } from '../../fields/paging';
import type { ChoiceField } from '../../parameters/reader';
import { hasWords, wordsOf } from '../../json';
import { list, type ListRequest } from '../../operations/list';
import type { Operation } from '../../operations/operation';
import type { OperationDescription } from '../describeResource';

/** What a form's item has with Simplify. */
const SIMPLIFIED = [
  'id',
  'title',
  'state',
  'is_published',
  'is_archived',
  'submissions_count',
  'created_by',
  'created_at',
  'updated_at',
  'attempt_url',
];

function simplified(form: IDataObject): IDataObject {
  return Object.fromEntries(SIMPLIFIED.filter((key) => key in form).map((key) => [key, form[key]]));
}

const simplifyField: INodeProperties = {
  displayName: 'Simplify',
  name: 'simple',
  type: 'boolean',
  default: true,
  description: 'Whether to return a simplified version of the response instead of the raw data',
};

const statusFilter: ChoiceField<'active' | 'archived' | 'favorite'> = {
  displayName: 'Status',
  name: 'status',
  type: 'options',
  options: [
    { name: 'Active', value: 'active' },
    { name: 'Archived', value: 'archived' },
    { name: 'Favorite', value: 'favorite' },
  ],
  default: 'active',
  description: 'Only forms with this status. Without this filter, archived forms are included.',
};

const titleFilter: INodeProperties = {
  displayName: 'Title',
  name: 'title',
  type: 'string',
  default: '',
  placeholder: 'e.g. customer survey',
  description: 'Words that the title must contain, in any order, in upper or lower case',
};

/** The service may ignore the status, and is not asked for words in the title: both are checked here too. */
function formsRequest({ read }: Operation): ListRequest {
  const filters = read.optional('filters', 'refuse expressions');
  const status = filters.option(statusFilter);
  const words = wordsOf(filters.text(titleFilter));
  const order = read.within('sort').option(orderField);
  const query = { status, order };
  // A form that does not say whether it is archived contradicts no status.
  const excluded = status === 'active' ? true : status === 'archived' ? false : undefined;
  const matches = ({ data }: Row) =>
    (excluded === undefined || data.is_archived !== excluded) && hasWords(data.title, words);
  const isSimplified = read.boolean(simplifyField);
  return {
    query,
    order,
    matches: excluded === undefined && words.length === 0 ? undefined : matches,
    items: async (collect) => await collect(({ data }) => ({ json: isSimplified ? simplified(data) : data })),
  };
}

export const getManyForms: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many forms',
    description: 'Get the forms of the workspace',
  },
  route: { method: 'GET', url: FORMS },
  run: list('forms', formsRequest),
  fields: [...returnAllAndLimit, simplifyField, filtersOf([statusFilter, titleFilter]), sortField],
};
