import { limitField, returnAllField } from '../fields/paging';
import { submittedAfterFilter, submittedBeforeFilter } from '../fields/submissionFilters';
import type { FieldReader } from './reader';
import { invalidValue, requireBoolean, requireDate, requireWholeNumber } from './values';

/** Reads how many results are wanted. @returns Infinity with Return All @throws UserError when a value is wrong */
export function readLimit(read: FieldReader): number {
  return read.value(returnAllField, requireBoolean) ? Infinity : read.value(limitField, requireWholeNumber);
}

/** Reads Submitted After and Submitted Before, in ms since 1970. @throws UserError when a bound is no date, or the range is empty */
export function readSubmittedDates(read: FieldReader): { after?: number; before?: number } {
  const filters = read.within('filters');
  const after = filters.optional(submittedAfterFilter, requireDate);
  const before = filters.optional(submittedBeforeFilter, requireDate);
  if (after === undefined || before === undefined || after < before) return { after, before };
  const [from, to] = [after, before].map((ms) => new Date(ms).toISOString());
  throw invalidValue(
    `'Submitted After' is not before 'Submitted Before': ${from} and ${to}`,
    'Enter a range of time, with the earlier time in Submitted After. Nothing was sent.',
  );
}
