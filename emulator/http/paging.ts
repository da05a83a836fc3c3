import type { Quirks } from './quirks.ts';

const DEFAULT_SIZE = 30;

/** The part of a list that one response holds. */
export interface Page {
  number: number;
  /** Infinity when all results are asked for. */
  size: number;
  offset: number;
}

/**
 * The page that a request asks for. Without a page number it is everything, whatever the page size.
 * @param selector name of the query parameter that holds the page number
 */
export function readPage(query: Record<string, string>, selector: string, quirks: Quirks): Page {
  const { [selector]: requested, page_size: size = DEFAULT_SIZE } = query;
  if (requested === undefined || quirks.ignorePaging) return { number: 1, size: Infinity, offset: 0 };
  const number = quirks.ignorePage ? 1 : Number(requested);
  const capped = Math.min(Number(size), quirks.pageSizeCap);
  return { number, size: capped, offset: (number - 1) * capped };
}

/**
 * What a response says about the list it is a part of; nothing under the quirk `noPagination`.
 * @param count how many rows the list has
 * @param shown how many of them the response holds
 */
export function totalsOf({ number, size }: Page, count: number, shown: number, quirks: Quirks) {
  if (quirks.noPagination) return {};
  const total = quirks.countsPageOnly ? shown : count;
  const pageSize = Number.isFinite(size) ? size : total;
  const pages = total === 0 ? 0 : Math.ceil(total / pageSize);
  return {
    total_count: total,
    pagination: {
      total_records: total,
      total_pages: pages,
      current_page_number: number,
      page_size: pageSize,
    },
  };
}

/** The order that a request asks for. */
export function readOrder({ order }: Record<string, string>, { ignoreOrder }: Quirks): 'asc' | 'desc' {
  return ignoreOrder || (order === 'desc' ? 'desc' : 'asc');
}
