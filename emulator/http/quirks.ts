/** All quirks, switched off. */
export function noQuirks() {
  return {
    /** The page number is always read as 1. */
    ignorePage: false,
    /** Page number and page size are ignored: every response has all results. */
    ignorePaging: false,
    /** The page size is always the default. */
    ignorePageSize: false,
    ignoreSubmittedAfter: false,
    /** `order` is ignored, and the order is always this one. */
    ignoreOrder: false as false | 'asc' | 'desc',
    /** Lists carry neither a pagination object nor a total count. */
    noPagination: false,
    /** `status` does not narrow the list of forms. */
    ignoreStatus: false,
    /** `email` does not narrow the list of team members. */
    ignoreEmail: false,
    /** `total_count`, `total_records` and `total_pages` count only the rows of the page. */
    countsPageOnly: false,
    /** `submissions_count` of a form is what it was this long ago, milliseconds. */
    countLagMs: 0,
    /** `submissions_count` of these forms, by form id, whatever the real number is. */
    fixedCounts: {} as Record<string, number>,
    /** The most rows on a page. */
    pageSizeCap: 100,
    /** The lower bound is rounded before it is used. */
    roundSubmittedAfter: undefined as { to: 'second' | 'minute'; direction: 'up' | 'down' } | undefined,
    noDateHeader: false,
    /** What is added to the clock for the Date header, milliseconds. */
    dateSkewMs: 0,
    /** Submissions of equal creation time come in another order in every response. */
    randomTieOrder: false,
    /** How long every response takes, milliseconds. */
    latencyMs: 0,
  };
}

/** Ways in which the service may behave differently from its documentation. All off by default; change them at any time. */
export type Quirks = ReturnType<typeof noQuirks>;
