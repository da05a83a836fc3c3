import { SUBMISSIONS } from '../../api/endpoints';
import { optionsOf } from '../../fields/collections';
import { formLocator } from '../../fields/formLocator';
import { returnAllAndLimit, sortField } from '../../fields/paging';
import { submissionFilters } from '../../fields/submissionFilters';
import { outputField, outputOptions } from '../../fields/submissionOutput';
import { list } from '../../operations/list';
import { submissionsRequest } from '../../operations/submissions';
import type { OperationDescription } from '../describeResource';

export const getManySubmissions: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many submissions',
    description: 'Get the submissions of a form with their answers',
  },
  route: { method: 'GET', url: SUBMISSIONS },
  run: list('submissions', submissionsRequest),
  fields: [formLocator, ...returnAllAndLimit, outputField, submissionFilters, optionsOf(outputOptions), sortField],
};
