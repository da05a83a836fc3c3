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
  /** How many rows a full page of this list has, as far as this page tells. */
  pageSize: number;
  /** Whether the page has `pageSize` rows. No page should follow one that is not full; the total tells when one does. */
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
  /** 1, 2, 3 … */
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
  requireHonored(rows, list, asked);
  const total = parseTotal(pagination.total_records ?? body.total_count);
  requirePage(total, list, asked, pagination.current_page_number);
  if (total < rows.length) {
    throw new UnexpectedResponse(
      `the list of ${LIST_NAMES[list]} has a total of ${total}, but a page with ${rows.length === 1 ? '1 row' : `${rows.length} rows`}`,
    );
  }
  const pageSize = pageSizeOf(rows.length, total, asked, pagination.page_size);
  return { rows, total, pageSize, isFull: rows.length === pageSize, serverTime };
}

/**
 * How many rows a full page has: as many as were asked for, or fewer where the service says so. A service that says fewer than it shows
 * has said nothing. It may still send smaller pages (30 of 230 rows, where 100 were asked for): then page 1 has fewer rows than the list.
 */
function pageSizeOf(shown: number, total: number, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): number {
  if (isWholeNumber(said) && said >= Math.max(1, shown)) return Math.min(said, pageSize);
  const isCapped = page === 1 && shown > 0 && shown < Math.min(total, pageSize);
  return isCapped ? shown : pageSize;
}

/**
 * Whether a total may end too early: it ends with a full page. It may count the rows of page 1 alone (100 of 230), or be capped (200 of
 * 230). Only the next page tells such a list from one of exactly 100 or 200 rows.
 */
export function isTotalInDoubt({ total, pageSize, isFull }: Page): boolean {
  return isFull && total % pageSize === 0;
}

/** Behind the end of a list, a service may show its last page again, and say so. Any other page than the one that was asked for is refused. */
function requirePage(total: number, list: ListKey, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): void {
  const isBehindEnd = (page - 1) * pageSize >= total;
  if (isWholeNumber(said) && said !== page && !isBehindEnd) throw ignores(list, 'page');
}

function requireHonored(rows: Row[], list: ListKey, { order, after = -Infinity }: Asked): void {
  let previous = NaN;
  for (const { createdMs } of rows) {
    if (order === 'asc' ? createdMs < previous : order === 'desc' && createdMs > previous) throw ignores(list, 'order');
    if (createdMs < after - TOLERANCE_MS) throw ignores(list, 'submitted_after');
    previous = createdMs;
  }
}

function ignores(list: ListKey, parameter: string): UnexpectedResponse {
  return new UnexpectedResponse(`the list of ${LIST_NAMES[list]} ignores '${parameter}'`);
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
