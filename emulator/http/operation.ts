import type { Workspace } from '../store/workspace.ts';

const DEFAULT_PAGE_SIZE = 30;

/** How a service behaves by default. */
export function noQuirks() {
  return {
    /** How long every response takes, milliseconds. */
    latencyMs: 0,
    /** The most rows on a page. */
    pageSizeCap: 100,
  };
}

/** How the service behaves where its documentation leaves it open; change it at any time. */
export type Quirks = ReturnType<typeof noQuirks>;

/** What operations and pages work with. */
export interface Context {
  readonly workspace: Workspace;
  readonly quirks: Quirks;
  /** The address under which the emulator is reached, without a path. */
  readonly url: string;
  /** The origin of the object store with the files; '' when it is the emulator itself. */
  readonly objectStoreUrl: string;
}

/** A request to an operation, valid by the document. Query parameters that are unknown are left out. */
export interface OperationRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** Returns the body of the response; its status is the one of success in the document. */
export type Operation = (request: OperationRequest, context: Context) => unknown;

/** A refusal, with the status and the message of the response. */
export class ServiceError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

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
export function readPage(query: Record<string, string>, selector: string, { quirks }: Context): Page {
  const { [selector]: number, page_size: size = DEFAULT_PAGE_SIZE } = query;
  if (number === undefined) return { number: 1, size: Infinity, offset: 0 };
  const capped = Math.min(Number(size), quirks.pageSizeCap);
  return { number: Number(number), size: capped, offset: (Number(number) - 1) * capped };
}

/** What a response says about the list of so many rows that it is a part of. */
export function totalsOf({ number, size }: Page, total: number) {
  const pageSize = Number.isFinite(size) ? size : total;
  const pagination = {
    total_records: total,
    total_pages: total === 0 ? 0 : Math.ceil(total / pageSize),
    current_page_number: number,
    page_size: pageSize,
  };
  return { pagination, total_count: total };
}

/** A record of the store as the service sends it: names in snake case, times in ISO 8601. */
export function toWire(record: object): Record<string, unknown> {
  const fields = Object.entries(record).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}

/** The fields of a request as the store has them: names in camel case. */
export function fromWire(body: object): object {
  const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(body).map(([name, value]: [string, unknown]) => [camelCase(name), value]));
}
