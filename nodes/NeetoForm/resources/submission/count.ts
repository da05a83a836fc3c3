import { SUBMISSIONS } from '../../api/endpoints';
import { filtersOf } from '../../fields/collections';
import { formLocator } from '../../fields/formLocator';
import { submittedAfterFilter, submittedBeforeFilter } from '../../fields/submissionFilters';
import { findForm } from '../../operations/findForm';
import { countFrom, readSubmittedDates } from '../../operations/rows';
import type { OperationDescription } from '../describeResource';

export const countFormSubmissions: OperationDescription = {
  option: {
    name: 'Count',
    value: 'count',
    action: 'Count submissions',
    description: 'Count the submissions of a form without reading them',
  },
  route: { method: 'GET', url: SUBMISSIONS },
  fields: [formLocator, filtersOf([submittedAfterFilter, submittedBeforeFilter])],
  /** Counts by the totals of the list: the submissions from the lower bound on, less those from the upper one on. */
  run: async (operation) => {
    const { after, before } = readSubmittedDates(operation.read);
    const target = await findForm(operation);
    const [from, later] = await Promise.all([
      countFrom(operation, target, after),
      before === undefined ? 0 : countFrom(operation, target, before),
    ]);
    // When submissions are deleted between the two requests, the difference could be below 0.
    return [{ json: { form_id: target.id, count: Math.max(0, from - later) } }];
  },
};
