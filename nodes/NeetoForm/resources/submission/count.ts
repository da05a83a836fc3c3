import { SUBMISSIONS } from '../../api/endpoints';
import { findForm } from '../../execution/findForm';
import { formLocator } from '../../fields/formLocator';
import { filtersOf } from '../../fields/shapes';
import { submittedAfterFilter, submittedBeforeFilter } from '../../fields/submissionFilters';
import { readSubmittedDates } from '../../parameters/listSettings';
import type { OperationDescription } from '../describeResource';
import { countRange } from './countRange';

export const countFormSubmissions: OperationDescription = {
  name: 'Count',
  value: 'count',
  action: 'Count submissions',
  description: 'Count the submissions of a form without reading them',
  route: { method: 'GET', url: SUBMISSIONS },
  fields: [formLocator, filtersOf([submittedAfterFilter, submittedBeforeFilter])],
  run: async (operation) => {
    const range = readSubmittedDates(operation.read);
    const target = await findForm(operation);
    return [{ json: { form_id: target.id, count: await countRange(operation, target, range) } }];
  },
};
