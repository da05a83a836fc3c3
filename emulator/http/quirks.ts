/** Ways in which the service may behave differently from its description. All off by default; change them at any time. */
export interface Quirks {
  /** The page selector is taken for 1, whatever it says. */
  ignorePage: boolean;
  /** Neither the page selector nor the page size counts: all results come in every answer. */
  ignorePaging: boolean;
  /** The page size is always the default. */
  ignorePageSize: boolean;
  ignoreSubmittedAfter: boolean;
  /** `order` does not count: `true` serves `asc`; a value serves that one. */
  ignoreOrder: boolean | 'asc' | 'desc';
  /** Lists carry neither a pagination object nor a total count. */
  noPagination: boolean;
  /** More rows than this are never put on a page. The real service: 100. */
  pageSizeCap: number;
  /** The lower bound is rounded before it is used. */
  roundSubmittedAfter: { to: 'second' | 'minute'; direction: 'up' | 'down' } | undefined;
  noDateHeader: boolean;
  /** What is added to the clock for the Date header, milliseconds. */
  dateSkewMs: number;
  /** Submissions of equal creation time come in another order in every answer. */
  randomTieOrder: boolean;
  /** How long every answer takes, milliseconds of real time. */
  latencyMs: number;
}

/** Quirks with none in effect. */
export function noQuirks(): Quirks {
  return {
    ignorePage: false,
    ignorePaging: false,
    ignorePageSize: false,
    ignoreSubmittedAfter: false,
    ignoreOrder: false,
    noPagination: false,
    pageSizeCap: 100,
    roundSubmittedAfter: undefined,
    noDateHeader: false,
    dateSkewMs: 0,
    randomTieOrder: false,
    latencyMs: 0,
  };
}
