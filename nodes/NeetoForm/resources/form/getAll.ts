import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import { filtersOf } from '../../fields/collections';
import { orderField, returnAllAndLimit, sortField } from '../../fields/paging';
import { hasWords, wordsOf } from '../../json';
import { defineOperation, type Operation } from '../../operations/operation';
import { readLimit, readRows } from '../../operations/rows';
import { requireBoolean, requireOption, requireTrimmedText, type ChoiceField } from '../../parameters/values';
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

async function getMany(operation: Operation): Promise<INodeExecutionData[]> {
  const { read } = operation;
  const limit = readLimit(read);
  const isSimplified = read.required(simplifyField, requireBoolean);
  const filters = read.within('filters');
  const status = filters.optional(statusFilter, requireOption);
  const words = wordsOf(filters.optional(titleFilter, requireTrimmedText));
  const order = read.within('sort').required(orderField, requireOption);
  return await readRows(operation, 'forms', {
    query: { status },
    order,
    limit,
    // The name of the service's own parameter is not known.
    matches: words.length === 0 ? undefined : ({ data }) => hasWords(data.title, words),
    keep: ({ data }) => ({ json: isSimplified ? simplified(data) : data }),
  });
}

export const getManyForms: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many forms',
    description: 'Get the forms of the workspace',
  },
  route: { method: 'GET', url: FORMS },
  run: defineOperation(getMany),
  fields: [...returnAllAndLimit, simplifyField, filtersOf([statusFilter, titleFilter]), sortField],
};
