import { UserError } from 'n8n-workflow';
import { LIST_NAMES, type ListKey } from '../api/endpoints';
import { REPORT } from '../api/messages';
import type { Page, Row } from '../api/parse';
import type { PageAsked } from '../api/service';

/** Results that one input item may give: n8n's engine overflows its stack at about 125,000. */
export const MAX_RESULTS = 120_000;

/** A list of the service, and which of its rows are wanted. */
export interface List<T> {
  key: ListKey;
  /** By creation time. Default: the list has no order. */
  order?: 'asc' | 'desc';
  /** The creation times to read, ms: at `after` or later, and earlier than `before`. */
  after?: number;
  before?: number;
  /** Reads a page. The signal aborts when the page is no longer needed. */
  readPage: (asked: PageAsked, signal: AbortSignal) => Promise<Page>;
  /** A filter that is applied here, because the service has none for it. Default: every row is wanted. */
  matches?: (row: Row) => boolean;
  /** Makes the result of a row as soon as the row's page arrives, so that whole rows do not pile up in memory. */
  resultOf: (row: Row) => T;
  /** How many results are wanted at most: the first ones of the list. Default: all. */
  limit?: number;
}

const MAY_MISS_ROWS = 'Nothing was returned, because something may be missing.';

/** The error of a list of which a row may be missing. @param shown how many rows of the total it shows */
export function incomplete(key: ListKey, shown: number, total: number): UserError {
  const message = `The list of ${LIST_NAMES[key]} cannot be read completely: it shows ${shown} of ${total} rows`;
  const description = `If the list changes while it is read, run this again at a quieter time, or narrow the list with filters or a limit. If the list does not change, its total is wrong, or it leaves out rows. ${MAY_MISS_ROWS} ${REPORT}`;
  return new UserError(message, { description });
}

/** The error of a list that shows one page under two numbers. */
export function ignoresPage(key: ListKey): UserError {
  return new UserError(`The list of ${LIST_NAMES[key]} ignores 'page'`, { description: REPORT });
}

/** The error of a total that rows contradict. @param what what the list does, for example `has a total of 1, but shows more rows` */
export function wrongTotal(key: ListKey, what: string): UserError {
  const description = `The total and the rows of the service contradict each other. ${MAY_MISS_ROWS} ${REPORT}`;
  return new UserError(`The list of ${LIST_NAMES[key]} ${what}`, { description });
}

/** The error of a list with more results than n8n can take. @param count how many there are, in words or digits */
export function tooMany(count: string): UserError {
  return new UserError(`The list is too long for one input item: ${count} results`, {
    // The last sentence is for a title: it is looked up in the list of all forms, and an ID is not.
    description:
      'n8n takes about 120,000 results per input item: narrow the list with the filters, for example to one month of submissions per input item. Or turn off Return All and set a limit. A single form is found by its ID in a list of any length.',
  });
}
