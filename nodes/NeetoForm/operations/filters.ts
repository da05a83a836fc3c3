import { orderField } from '../fields/paging';
import type { FieldReader } from '../fields/reader';

/** The order of a list by creation time. @throws UserError when it is neither of the two */
export function orderOf(read: FieldReader): 'desc' | 'asc' {
  return read.within('sort').option(orderField);
}
