import { submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import type { FieldReader } from '../parameters/reader';
import { refusal, requireDate } from '../parameters/values';

/** The range of the filters, ms since 1970. @throws UserError when nothing can be between the bounds */
export function readSubmittedDates(read: FieldReader): { after?: number; before?: number } {
  const filters = read.within('filters');
  const after = filters.optional(submittedAfterFilter, requireDate);
  const before = filters.optional(submittedBeforeFilter, requireDate);
  if (after === undefined || before === undefined || after < before) return { after, before };
  const [from, to] = [after, before].map((ms) => new Date(ms).toISOString());
  throw refusal(
    `'Submitted After' is not before 'Submitted Before': ${from} and ${to}`,
    'Enter a range of time, with the earlier time in Submitted After. Nothing was sent.',
  );
}
