import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import type { Row } from '../../api/parse';
import { readFormsPage } from '../../api/service';
import { orderField, returnAllAndLimit, sortField } from '../../fields/paging';
import { filtersOf, textField, type ChoiceField } from '../../fields/shapes';
import type { List } from '../../lists/list';
import { readList } from '../../lists/readList';
import { readLimit } from '../../parameters/listSettings';
import { requireBoolean, requireOption, requireTrimmedText } from '../../parameters/values';
import { hasWords, searchWords } from '../../text';
import type { OperationDescription } from '../describeResource';

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

const titleFilter = textField(
  'Title',
  'title',
  'customer survey',
  'Words that the title must contain, in any order, in upper or lower case',
);

export const getManyForms: OperationDescription = {
  name: 'Get Many',
  value: 'getAll',
  action: 'Get many forms',
  description: 'Get the forms of the workspace',
  route: { method: 'GET', url: FORMS },
  fields: [...returnAllAndLimit, simplifyField, filtersOf([statusFilter, titleFilter]), sortField],
  run: async ({ get, read }) => {
    const limit = readLimit(read);
    const isSimplified = read.value(simplifyField, requireBoolean);
    const filters = read.within('filters');
    const status = filters.optional(statusFilter, requireOption);
    const words = searchWords(filters.optional(titleFilter, requireTrimmedText));
    const order = read.within('sort').value(orderField, requireOption);
    // The service can search titles, but does not document the name of the parameter.
    const matches = words.length === 0 ? undefined : ({ data }: Row) => hasWords(data.title, words);
    const resultOf = ({ data }: Row) => ({ json: isSimplified ? simplified(data) : data });
    const readPage: List<unknown>['readPage'] = async (asked, signal) =>
      await readFormsPage(get, asked, signal, status);
    return await readList({ key: 'forms', order, limit, readPage, matches, resultOf });
  },
};
