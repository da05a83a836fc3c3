import type { Emulator, FaultEffect, RequestRecord } from '../../emulator/index.ts';

type Query = RequestRecord['query'];

interface Said {
  total_records: unknown;
  current_page_number: unknown;
  page_size: unknown;
}

/** The service reads another query than the one that was sent. */
const reads = (change: (query: Query) => Query): FaultEffect => ({
  reread: (query) => ({ ...query, ...change(query) }),
});

/** The service says other totals and page numbers. A list without pagination has only a total. */
const says = (change: (said: Said, shown: number, total: number) => Partial<Said>): FaultEffect => ({
  rewrite: ({ pagination, total_count, ...lists }) => {
    const said = (pagination ?? { total_records: total_count }) as Said;
    const shown = Object.values(lists).flat().length;
    const { total_records, ...others } = { ...said, ...change(said, shown, Number(said.total_records)) };
    return {
      ...lists,
      total_count: total_records,
      ...(pagination !== undefined && { pagination: { total_records, ...others } }),
    };
  },
});

/** The service answers with a status instead of an empty page. */
const refuses = (status: number): FaultEffect => ({
  rewrite: (body, reply) => {
    const { query } = reply.request as { query: Query };
    const isBehindEnd =
      pageOf(query) > 1 && Object.values(body).every((value) => !Array.isArray(value) || value.length === 0);
    if (!isBehindEnd) return body;
    reply.code(status);
    return { error: 'There is no such page' };
  },
});

const pageOf = ({ page, page_number: number = page }: Query) => Number(number);
const onPage = (page: number, query: Query): Query => ({ ['page' in query ? 'page' : 'page_number']: String(page) });
const smaller = (most: number) => reads((query) => ({ page_size: String(Math.min(most, Number(query['page_size']))) }));
const unsaid = says(() => ({ page_size: undefined, current_page_number: undefined }));

/** Ways in which a service may differ from its interface. */
export const DEVIATIONS = {
  'nothing differs': {},
  'the total counts the page': says((_said, shown) => ({ total_records: shown })),
  'the total is 0': says(() => ({ total_records: 0 })),
  'the total lacks a row of the page': says((_said, shown) => ({ total_records: Math.max(0, shown - 1) })),
  'the total is 5 too high': says((_said, _shown, total) => ({ total_records: total + 5 })),
  'the total is 5 too low': says((_said, _shown, total) => ({ total_records: Math.max(0, total - 5) })),
  'the total is at most 200': says((_said, _shown, total) => ({ total_records: Math.min(200, total) })),
  'the total is a text': says((_said, _shown, total) => ({ total_records: String(total) })),
  'the total is not that of the filter': says(() => ({ total_records: 10_000 })),
  'pages begin at 0': reads((query) => onPage(pageOf(query) + 1, query)),
  'submitted_after is rounded to minutes': reads(({ submitted_after: after, ...query }) =>
    after === undefined ? query : { ...query, submitted_after: `${after.slice(0, 17)}00.000Z` },
  ),
  'page is unknown': { reread: ({ page: _page, page_number: _number, ...query }) => query },
  'page is ignored': reads((query) => onPage(1, query)),
  'page is ignored, and unsaid': { ...reads((query) => onPage(1, query)), ...unsaid },
  'page_size is ignored': reads(() => ({ page_size: '30' })),
  'page_size is at most 50': smaller(50),
  'page_size is at most 50, and unsaid': { ...smaller(50), ...unsaid },
  'page_size is at most 50, and said to be 100': { ...smaller(50), ...says(() => ({ page_size: 100 })) },
  'page_size is the number of rows': says((_said, shown) => ({ page_size: shown })),
  'page_size is said to be 30': says(() => ({ page_size: 30 })),
  'page numbers are texts': says(() => ({ page_size: 'all', current_page_number: 'first' })),
  'a page behind the end has status 400': refuses(400),
  'a page behind the end has status 404': refuses(404),
  'a page behind the end has status 422': refuses(422),
} satisfies Record<string, FaultEffect>;

export type DeviationName = keyof typeof DEVIATIONS;

/** Lets the service differ in its answers to all requests whose path matches. Default: all lists. */
export function deviate(
  emulator: Emulator,
  name: DeviationName,
  path = /\/(?:forms|submissions|team[-_]members)$/,
): void {
  emulator.fail({ when: { path, times: Infinity }, with: DEVIATIONS[name] });
}
