import type { IDataObject } from 'n8n-workflow';
import { idText, isRecord } from '../json';
import { LIST_NAMES, PAGE_SIZE, type ListKey } from './endpoints';

/** A response with a 2xx status. */
export interface ApiResponse {
  /** The parsed JSON; `{}` when the body is empty. */
  body: Record<string, unknown>;
  /** The header `Date`, ms since 1970. Undefined when the response has none. */
  serverTime?: number;
}

/** Reads a response. @throws UnexpectedResponse when it is not as documented */
export type Parse<T> = (response: ApiResponse) => T;

/** Says how a response differs from what is documented. `request.ts` turns it into a NodeApiError with the same words. */
export class UnexpectedResponse extends Error {}

/** One row of a list: a form, a submission or a team member. */
export interface Row {
  id: string;
  /** ms since 1970. Undefined when the row has no creation time. */
  createdMs: number | undefined;
  data: IDataObject;
}

export interface Submission extends Row {
  createdMs: number;
}

export interface Page<R extends Row = Row> {
  rows: R[];
  /** How many rows the whole list holds. */
  total: number;
  /** How many rows a full page of this list has. A lower limit that the service does not tell shows only on page 1: see `pageSizeOf`. */
  pageSize: number;
  /** Whether the page has exactly `pageSize` rows. One with fewer should be the last page, and one with more is the whole list. */
  isFull: boolean;
  /** ms: the service's time, rounded down to a second. Undefined when the response has no Date header. */
  serverTime?: number;
}

/** What the service was asked for. A response that contradicts it is refused. */
export interface Asked {
  order?: 'asc' | 'desc';
  /** ms: only rows that were created then or later. */
  after?: number;
  /** How many ms before `after` a row may be created: the service may round `after`. Default: a minute. */
  tolerance?: number;
  page?: number;
  pageSize?: number;
}

const TOLERANCE_MS = 60_000;

/** Reads one page of forms or team members. @throws UnexpectedResponse when it is unreadable, or contradicts itself or what was asked for */
export function parsePage(response: ApiResponse, list: Exclude<ListKey, 'submissions'>, asked: Asked = {}): Page {
  return parseRows(response, list, asked, (row) => parseRow(row, list));
}

/** Reads one page of a form's submissions. @throws UnexpectedResponse as `parsePage` does */
export function parseSubmissions(response: ApiResponse, asked: Asked): Page<Submission> {
  return parseRows(response, 'submissions', asked, parseSubmission);
}

function parseRows<R extends Row>(
  { body, serverTime }: ApiResponse,
  list: ListKey,
  asked: Asked,
  parse: (row: unknown) => R,
): Page<R> {
  const given = body[list];
  if (!Array.isArray(given)) throw new UnexpectedResponse(`there is no list of '${list}'`);
  const rows = given.map(parse);
  // The list of team members of API version 1 has `total_count`, and no `pagination`.
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

/** How many rows a full page has. @param said the service's own `page_size`, unchecked */
function pageSizeOf(rowCount: number, total: number, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): number {
  // The service's size counts if it is less than was asked for. A size of 0, or less than the number of rows, is wrong and ignored.
  if (isWholeNumber(said) && said >= Math.max(1, rowCount)) return Math.min(said, pageSize);
  // If page 1 has 30 rows of a total of 230, for example, the service gives no more than 30 rows per page.
  const isCapped = page === 1 && rowCount > 0 && rowCount < Math.min(total, pageSize);
  return isCapped ? rowCount : pageSize;
}

/** Refuses another page than the one that was asked for. @param said the service's own `current_page_number`, unchecked */
function requirePage(total: number, list: ListKey, { page = 1, pageSize = PAGE_SIZE }: Asked, said: unknown): void {
  // A service may show its last page instead of one past the end.
  const isPastEnd = (page - 1) * pageSize >= total;
  if (isWholeNumber(said) && said !== page && !isPastEnd) throw ignores(list, 'page');
}

/** Refuses rows in another order than asked for, or from before `after`. */
function requireHonored(rows: Row[], list: ListKey, asked: Asked): void {
  const { order, after = -Infinity, tolerance = TOLERANCE_MS } = asked;
  let previous: Row | undefined;
  for (const row of rows) {
    if (isOutOfOrder(order, row, previous)) throw ignores(list, 'order');
    if (!isInRange(row, { after: after - tolerance })) throw ignores(list, 'submitted_after');
    previous = row;
  }
}

/** Whether a row was created at `after` or later, and earlier than `before`. A row without a creation time is in every range. */
export function isInRange({ createdMs }: Row, range: { after?: number; before?: number }): boolean {
  const { after = -Infinity, before = Infinity } = range;
  return createdMs === undefined || (createdMs >= after && createdMs < before);
}

/** Whether a row belongs before the previous one. A row without a creation time is always in order, and so is the one after it. */
export function isOutOfOrder(order: Asked['order'], { createdMs }: Row, previous: Row | undefined): boolean {
  const previousMs = previous?.createdMs;
  if (createdMs === undefined || previousMs === undefined) return false;
  return order === 'asc' ? createdMs < previousMs : order === 'desc' && createdMs > previousMs;
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
  if (!isRecord(data) || idText(data.id) === '') throw new UnexpectedResponse(`a row of '${list}' has no id`);
  const { id, created_at: given = null } = data;
  return { id: idText(id), createdMs: given === null ? undefined : requireTime(given, list), data };
}

function parseSubmission(row: unknown): Submission {
  const { id, data } = parseRow(row, 'submissions');
  const createdMs = requireTime(data.created_at ?? null, 'submissions');
  // A submission without answers may have `responses: null`. If the key is missing, the service may have renamed it.
  if (data.responses !== null && !Array.isArray(data.responses))
    throw new UnexpectedResponse('a submission has no list of answers');
  return { id, createdMs, data };
}

function requireTime(value: unknown, list: ListKey): number {
  const time = parseTime(value);
  if (time !== undefined) return time;
  const problem = `is not an ISO 8601 date-time: ${JSON.stringify(value)}`;
  throw new UnexpectedResponse(`'created_at' of a row of '${list}' ${problem}`);
}

/** For example `2026-02-09T12:00:00.000Z` or `2026-02-09T17:30:00+05:30`. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** @returns ms since 1970, or undefined for anything but an ISO 8601 date-time. A time without a zone is in UTC. */
export function parseTime(value: unknown): number | undefined {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  if (match === null) return undefined;
  const time = Date.parse(match[1] === undefined ? `${match[0]}Z` : match[0]);
  return Number.isNaN(time) ? undefined : time;
}

/** Reads a form or a team member, under a key of the body or from the body itself. @throws UnexpectedResponse when it has no id */
export function parseObject({ body }: ApiResponse, key?: string): IDataObject {
  const value = key === undefined ? body : body[key];
  if (!isRecord(value)) throw new UnexpectedResponse(`there is no '${key ?? 'object'}'`);
  if (idText(value.id) === '') throw new UnexpectedResponse(`the '${key ?? 'object'}' has no id`);
  return value;
}

/** Reads a form with its questions. @throws UnexpectedResponse when it has no id or no questions */
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
