import type { IDataObject } from 'n8n-workflow';
import { comparable, isRecord, toText } from '../json';
import { LIST_NAMES, PAGE_SIZE, type ListKey } from './endpoints';
import { UnexpectedResponse } from './errors';
import type { ApiResponse } from './request';

/** One row of a list: a form, a submission or a team member. */
export interface Row {
  id: string;
  /** ms since 1970; NaN when the row has no creation time. A submission always has one. */
  createdMs: number;
  data: IDataObject;
}

export interface Page {
  rows: Row[];
  /** How many rows the whole list holds. */
  total: number;
  /** How many rows a full page of this list has: what the service says, or what the rows of this page let us conclude. */
  pageSize: number;
  /** Whether the page has `pageSize` rows. A page that is not full should be the last one. The total tells whether it really is. */
  isFull: boolean;
  /** ms: what the service's clock showed when it responded, rounded down to a second. Undefined when the response has no Date header. */
  serverTime?: number;
}

/** What the service was asked for. A response that contradicts it is refused. */
export interface Asked {
  /** By creation time: oldest first, or newest first. */
  order?: 'asc' | 'desc';
  /** ms: only rows that were created then or later. */
  after?: number;
  /** How long before `after` a row may be created without being refused, in ms. Default: a minute, because the service may round `after`. */
  tolerance?: number;
  page?: number;
  /** Rows on a page. Default: `PAGE_SIZE`. */
  pageSize?: number;
}

/** The default of `Asked.tolerance`. A row that is only tolerated is no result: `SliceReader` and the trigger's `isNew` leave it out. */
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
  // The list of team members of API version 1 has its total at the top of the body, and no `pagination`.
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
 * How many rows a full page has. In general that is the number that was asked for (100), with two exceptions:
 * - The service says a smaller number, and the page has no more rows than that.
 * - The service says nothing, or a number smaller than the rows of the page. Then a page 1 that has fewer rows than were asked for, although the
 *   total is higher, counts as full: with 30 rows of a total of 230, for example.
 *
 * @param shown how many rows the page has
 * @param said the service's own `page_size`, unchecked
 */
function pageSizeOf(shown: number, total: number, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): number {
  if (isWholeNumber(said) && said >= Math.max(1, shown)) return Math.min(said, pageSize);
  const isCapped = page === 1 && shown > 0 && shown < Math.min(total, pageSize);
  return isCapped ? shown : pageSize;
}

/**
 * Whether the list may have more rows than its total says. That is possible when the total is a multiple of the page size: of 230 rows, a
 * service may count the first page alone (total 100), or count no further than 200. Only the next page tells such a list from one of exactly
 * 200 rows.
 */
export function isTotalInDoubt({ total, pageSize, isFull }: Page): boolean {
  return isFull && total % pageSize === 0;
}

/**
 * Refuses another page than the one that was asked for. A page past the end is not checked: there, a service may show its last page.
 *
 * @param said the service's own `current_page_number`, unchecked
 * @throws UnexpectedResponse
 */
function requirePage(total: number, list: ListKey, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): void {
  const isPastEnd = (page - 1) * pageSize >= total;
  if (isWholeNumber(said) && said !== page && !isPastEnd) throw ignores(list, 'page');
}

/** Refuses rows in another order than asked for, or from before `after`. @throws UnexpectedResponse that names the parameter */
function requireHonored(rows: Row[], list: ListKey, asked: Asked): void {
  const { order, after = -Infinity, tolerance = TOLERANCE_MS } = asked;
  // Comparing with NaN is always false. So the first row counts as in order, and so do a row without a creation time and the row after it.
  let previous = NaN;
  for (const { createdMs } of rows) {
    const isMisplaced = (order === 'asc' && createdMs < previous) || (order === 'desc' && createdMs > previous);
    if (isMisplaced) throw ignores(list, 'order');
    if (createdMs < after - tolerance) throw ignores(list, 'submitted_after');
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
  // A submission without answers may have `responses: null`. If the key is missing, the service may have renamed it, and the answers would
  // be lost silently. So the response is refused.
  if (list === 'submissions' && data.responses !== null && !Array.isArray(data.responses))
    throw new UnexpectedResponse('a submission has no list of answers');
  return { id, createdMs, data };
}

/** The forms that a text names: the one with this ID, or if there is none, all that have this title, in any case. */
export function formsNamed(forms: Row[], text: string): Row[] {
  const withId = forms.find(({ id }) => id === text);
  return withId ? [withId] : forms.filter(({ data }) => comparable(data.title) === comparable(text));
}

/** For example `2026-02-09T12:00:00.000Z`, or with another zone `2026-02-09T17:30:00+05:30`. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** @returns ms since 1970, or NaN for anything but an ISO 8601 date-time. A time without a zone is in UTC, like all times of the service. */
export function parseTime(value: unknown): number {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  return match === null ? NaN : Date.parse(match[1] === undefined ? `${match[0]}Z` : match[0]);
}

/**
 * Reads a form or a team member.
 *
 * @param key the key of the object in the body. Default: the body itself is the object
 * @throws UnexpectedResponse when there is no object, or it has no id
 */
export function parseObject({ body }: ApiResponse, key?: string): IDataObject {
  const value = key === undefined ? body : body[key];
  if (!isRecord(value)) throw new UnexpectedResponse(`there is no '${key ?? 'object'}'`);
  if (toText(value.id) === '') throw new UnexpectedResponse(`the '${key ?? 'object'}' has no id`);
  return value;
}

/** Reads a form with its questions. @throws UnexpectedResponse when the body is no form, or has no questions */
export function parseForm(response: ApiResponse): IDataObject {
  const form = parseObject(response);
  if (!Array.isArray(form.questions)) throw new UnexpectedResponse("there is no list of 'questions'");
  return form;
}

/** Reads the service's sentence about what it did. @throws UnexpectedResponse when there is none */
export function parseMessage({ body: { message } }: ApiResponse): string {
  if (typeof message !== 'string') throw new UnexpectedResponse("there is no 'message'");
  return message;
}
