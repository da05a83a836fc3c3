import { ServiceError } from './answers.ts';
import type { Quirks } from './quirks.ts';

const DEFAULT_SIZE = 30;

/** The part of a list that one answer holds. */
export interface Page {
  number: number;
  /** Infinity when all results are asked for. */
  size: number;
  offset: number;
}

/** What a response says about the list it is a part of. */
export interface Pagination {
  total_records: number;
  total_pages?: number;
  current_page_number: number;
  page_size: number;
}

/**
 * The page that a request asks for. Without a selector it is everything, whatever the page size.
 * @param selector name of the query parameter that holds the page number
 */
export function readPage(query: Record<string, string>, selector: string, quirks: Quirks): Page {
  const asked = query[selector] ?? '';
  if (asked === '' || quirks.ignorePaging) return { number: 1, size: Number.POSITIVE_INFINITY, offset: 0 };
  const number = quirks.ignorePage ? 1 : wholeNumber(asked, 1);
  const wanted = quirks.ignorePageSize ? DEFAULT_SIZE : wholeNumber(query['page_size'] ?? '', DEFAULT_SIZE);
  const size = Math.min(wanted, quirks.pageSizeCap);
  return { number, size, offset: (number - 1) * size };
}

/**
 * The number of rows that a response reports for the whole list.
 * @param total how many there are
 * @param shown how many the response holds
 */
export function reportedTotal(total: number, shown: number, { totalCounts, totalOffset }: Quirks): number {
  return Math.max(0, (totalCounts === 'page' ? shown : total) + totalOffset);
}

/**
 * The pagination object of a page.
 * @param total what the response reports for the whole list
 */
export function paginationOf(page: Page, total: number, { totalPages }: Quirks): Pagination {
  const size = Number.isFinite(page.size) ? page.size : total;
  const computed = total === 0 ? 0 : Math.ceil(total / size);
  return {
    total_records: total,
    ...(totalPages !== 'absent' && { total_pages: totalPages === 'computed' ? computed : totalPages }),
    current_page_number: page.number,
    page_size: size,
  };
}

/** The order that a request asks for. */
export function readOrder(query: Record<string, string>, quirks: Quirks): 'asc' | 'desc' {
  if (quirks.ignoreOrder !== false) return quirks.ignoreOrder === true ? 'asc' : quirks.ignoreOrder;
  const order = query['order'] ?? 'asc';
  if (order !== 'asc' && order !== 'desc') throw new ServiceError(422, 'order must be asc or desc.');
  return order;
}

function wholeNumber(text: string, otherwise: number): number {
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : otherwise;
}
