import type { IDataObject } from 'n8n-workflow';
import { isRecord, toText } from '../json';
import { LIST_NAMES, PAGE_SIZE, type ListKey } from './endpoints';
import { UnexpectedResponse } from './errors';
import type { ApiResponse } from './request';

/** One row of a list: a form, a submission or a team member. */
export interface Row {
  id: string;
  /** ms since 1970; NaN when the row has no readable creation time. */
  createdMs: number;
  /** The service's own object. */
  data: IDataObject;
}

/** One page of a list. */
export interface Page {
  rows: Row[];
  /** How many rows the whole list holds. */
  total: number;
  /** How many rows a full page of this list has. */
  pageSize: number;
  /** Whether the page has so many rows. A page that is not full is the last one of its list. */
  isFull: boolean;
  /** ms, the service's clock at its response, to the second. Undefined when it does not say. */
  serverTime?: number;
}

/** What the service was asked for, which its response must not contradict. */
export interface Asked {
  /** By creation time. */
  order?: 'asc' | 'desc';
  /** ms: creation times at which rows are wanted, and all later ones. */
  after?: number;
  /** 1, 2, 3 … Default: any page may be shown. */
  page?: number;
  /** Rows on a page. Default: `PAGE_SIZE`. */
  pageSize?: number;
}

/** ms before the lower bound that a row may be created: the service may round the bound, or keep finer times than it prints. */
const TOLERANCE_MS = 60_000;

/**
 * Reads one page of a list.
 *
 * @throws UnexpectedResponse when something is missing or unreadable, the rows or the page number contradict what was asked for, or the
 * total is smaller than the rows of the page
 */
export function parsePage({ body, serverTime }: ApiResponse, list: ListKey, asked: Asked = {}): Page {
  const given = body[list];
  if (!Array.isArray(given)) throw new UnexpectedResponse(`there is no list of '${list}'`);
  const rows = given.map((row) => parseRow(row, list));
  // v1, and older pages, give the total at the top and no pagination object.
  const pagination = isRecord(body.pagination) ? body.pagination : {};
  requireHonored(rows, list, asked, pagination.current_page_number);
  const total = parseTotal(pagination.total_records ?? body.total_count);
  if (total < rows.length) {
    throw new UnexpectedResponse(
      `the list of ${LIST_NAMES[list]} has a total of ${total}, but a page with ${rows.length === 1 ? '1 row' : `${rows.length} rows`}`,
    );
  }
  const pageSize = pageSizeOf(rows.length, total, asked, pagination.page_size);
  return { rows, total, pageSize, isFull: rows.length === pageSize, serverTime };
}

/**
 * How many rows a full page has: as many as were asked for, or fewer where the service says so. A service that does not say it may still
 * send smaller pages (30 of 230 rows, where 100 were asked for). The first page tells: it has fewer rows than the list.
 */
function pageSizeOf(shown: number, total: number, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): number {
  if (isWholeNumber(said) && said > 0) return Math.min(said, pageSize);
  const isCapped = page === 1 && shown > 0 && shown < Math.min(total, pageSize);
  return isCapped ? shown : pageSize;
}

/**
 * Whether the total of a first page may count the rows of the page alone: the page is full, and its total says that it is the whole list.
 * Only the next page tells a list of exactly 100 rows from a longer one.
 */
export function isTotalInDoubt({ rows, total, isFull }: Page): boolean {
  return isFull && rows.length === total;
}

function requireHonored(rows: Row[], list: ListKey, asked: Asked, pageNumber: unknown): void {
  const { order, after = -Infinity, page = pageNumber } = asked;
  const ignores = (parameter: string) =>
    new UnexpectedResponse(`the list of ${LIST_NAMES[list]} ignores '${parameter}'`);
  if (isWholeNumber(pageNumber) && pageNumber !== page) throw ignores('page');
  let previous = NaN;
  for (const { createdMs } of rows) {
    if (order === 'asc' ? createdMs < previous : order === 'desc' && createdMs > previous) throw ignores('order');
    if (createdMs < after - TOLERANCE_MS) throw ignores('submitted_after');
    previous = createdMs;
  }
}

function parseTotal(value: unknown): number {
  if (value === undefined || value === null) throw new UnexpectedResponse('the response has no total');
  if (isWholeNumber(value)) return value;
  throw new UnexpectedResponse(`the total is not a number: ${JSON.stringify(value)}`);
}

function isWholeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function parseRow(data: unknown, list: ListKey): Row {
  const id = isRecord(data) ? toText(data.id) : '';
  if (!isRecord(data) || id === '') throw new UnexpectedResponse(`a row of '${list}' has no id`);
  const createdMs = parseTime(data.created_at);
  const { created_at: given = null } = data;
  if (Number.isNaN(createdMs) && (list === 'submissions' || given !== null)) {
    throw new UnexpectedResponse(
      `'created_at' of a row of '${list}' is not an ISO 8601 date-time: ${JSON.stringify(given)}`,
    );
  }
  // A submission without answers may have null; one without the key has its answers somewhere else.
  if (list === 'submissions' && data.responses !== null && !Array.isArray(data.responses))
    throw new UnexpectedResponse('a submission has no list of answers');
  return { id, createdMs, data };
}

/** `2026-02-09T12:00:00.000Z`; the zone may be `+05:30`. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** @returns ms since 1970; NaN for what is not an ISO 8601 date-time. Without a zone it is UTC, as everything the service says. */
export function parseTime(value: unknown): number {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  return match === null ? NaN : Date.parse(match[1] === undefined ? `${match[0]}Z` : match[0]);
}

/** A form or a team member. @param key where it is in the body @throws UnexpectedResponse when it is not there, or has no id */
export function parseObject({ body }: ApiResponse, key?: string): IDataObject {
  const value = key === undefined ? body : body[key];
  if (!isRecord(value)) throw new UnexpectedResponse(`there is no '${key ?? 'object'}'`);
  if (toText(value.id) === '') throw new UnexpectedResponse(`the '${key ?? 'object'}' has no id`);
  return value;
}

/** A form with its questions. @throws UnexpectedResponse when it is none */
export function parseForm(response: ApiResponse): IDataObject {
  const form = parseObject(response);
  if (!Array.isArray(form.questions)) throw new UnexpectedResponse("there is no list of 'questions'");
  return form;
}

/** @throws UnexpectedResponse when the service does not say what it did */
export function parseMessage({ body: { message } }: ApiResponse): string {
  if (typeof message !== 'string') throw new UnexpectedResponse("there is no 'message'");
  return message;
}
