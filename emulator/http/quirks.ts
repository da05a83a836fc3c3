/** Ways in which the service may behave differently from its documentation. All off by default; change them at any time. */
export interface Quirks {
  /** The page number is always read as 1. */
  ignorePage: boolean;
  /** Page number and page size are ignored: every response has all results. */
  ignorePaging: boolean;
  /** The page size is always the default. */
  ignorePageSize: boolean;
  ignoreSubmittedAfter: boolean;
  /** `order` is ignored: `true` means always `asc`, a value means always that one. */
  ignoreOrder: boolean | 'asc' | 'desc';
  /** Lists carry neither a pagination object nor a total count. */
  noPagination: boolean;
  /** `status` does not narrow the list of forms. */
  ignoreStatus: boolean;
  /** `page`: `total_count` and `total_records` count only the rows of the page. */
  totalCounts: 'all' | 'page';
  /** `absent`: the pagination object has no `total_pages`. A number: it always has this one. */
  totalPages: 'computed' | 'absent' | number;
  /** `submissions_count` of a form is what it was this long ago, milliseconds. */
  countLagMs: number;
  /** `submissions_count` of these forms, by form id, whatever the real number is. */
  fixedCounts: Record<string, number>;
  /** The most rows on a page. */
  pageSizeCap: number;
  /** The lower bound is rounded before it is used. */
  roundSubmittedAfter: { to: 'second' | 'minute'; direction: 'up' | 'down' } | undefined;
  noDateHeader: boolean;
  /** What is added to the clock for the Date header, milliseconds. */
  dateSkewMs: number;
  /** Submissions of equal creation time come in another order in every response. */
  randomTieOrder: boolean;
  /** How long every response takes, milliseconds. */
  latencyMs: number;
}

/** All quirks, switched off. */
export function noQuirks(): Quirks {
  return {
    ignorePage: false,
    ignorePaging: false,
    ignorePageSize: false,
    ignoreSubmittedAfter: false,
    ignoreOrder: false,
    noPagination: false,
    ignoreStatus: false,
    totalCounts: 'all',
    totalPages: 'computed',
    countLagMs: 0,
    fixedCounts: {},
    pageSizeCap: 100,
    roundSubmittedAfter: undefined,
    noDateHeader: false,
    dateSkewMs: 0,
    randomTieOrder: false,
    latencyMs: 0,
  };
}
