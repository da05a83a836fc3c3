import { SUBMISSIONS } from '../../api/endpoints';
import { formLocator } from '../../fields/formLocator';
import { submittedFilters } from '../../fields/submissionFilters';
import { defineOperation } from '../../operations/defineOperation';
import { countSubmissions } from '../../operations/submissions';
import type { OperationDescription } from '../describeResource';

export const countFormSubmissions: OperationDescription = {
  option: {
    name: 'Count',
    value: 'count',
    action: 'Count submissions',
    description: 'Count the submissions of a form without reading them',
  },
  route: { method: 'GET', url: SUBMISSIONS },
  run: defineOperation(async (operation) => [
    { json: { form_id: operation.target.id, count: await countSubmissions(operation) } },
  ]),
  fields: [formLocator, submittedFilters],
};
