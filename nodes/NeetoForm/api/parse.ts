import type { IDataObject } from 'n8n-workflow';
import type { ApiResponse } from './request';
import { isRecord } from '../json';
import { UnexpectedResponse } from './errors';

/** One row of a list: a form, a submission or a team member. Only what this package relies on is named. */
export type Row = IDataObject & { id: string };

export type Submission = Row & { created_at: string };

/** One page of a list. */
export interface Page<T extends Row = Row> {
  rows: T[];
  /** How many rows the whole list holds. Undefined when the service does not say. */
  total?: number;
  /** How many pages the list has. Undefined when the service does not say. */
  totalPages?: number;
  /** How many rows a full page holds. Undefined when the service does not say. */
  pageSize?: number;
  /** ms, the service's clock at its response, to the second. Undefined when it does not say. */
  serverTime?: number;
}

/**
 * @param list the key that holds the rows: `forms`, `submissions` or `team_members`
 * @throws UnexpectedResponse when the list is missing or a row has no id
 */
export function parsePage({ body, serverTime }: ApiResponse, list: string): Page {
  const rows = body[list];
  if (!Array.isArray(rows)) throw new UnexpectedResponse(`there is no list of '${list}'`);
  // v1, and older pages, give the total at the top and no pagination object.
  const pagination = isRecord(body.pagination) ? body.pagination : {};
  return {
    rows: rows.map((row) => parseRow(row, list)),
    total: numberOf(pagination.total_records) ?? numberOf(body.total_count),
    totalPages: positive(numberOf(pagination.total_pages)),
    pageSize: positive(numberOf(pagination.page_size)),
    serverTime,
  };
}

function positive(value = 0): number | undefined {
  return value > 0 ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function parseRow(row: unknown, list: string): Row {
  if (!isRecord(row) || typeof row.id !== 'string' || row.id === '')
    throw new UnexpectedResponse(`a row of '${list}' has no id`);
  return row as Row;
}

/** @throws UnexpectedResponse when a submission's creation time is not a date */
export function parseSubmission(row: Row): Submission {
  if (Number.isNaN(createdMs(row))) throw new UnexpectedResponse(`submission '${row.id}' has no creation time`);
  return row as Submission;
}

const OFFSET = /[+-]\d{2}(?::?\d{2})?$/;

/**
 * When a row was created. A time without a zone is UTC, as everything the service says; an offset may be `+05:30`, `+0530` or `+05`.
 *
 * @returns ms since 1970, NaN when the row has no creation time
 */
export function createdMs({ created_at: createdAt }: Row): number {
  if (typeof createdAt !== 'string') return NaN;
  if (/[zZ]$/.test(createdAt)) return Date.parse(createdAt);
  const time = createdAt.slice(10);
  if (!OFFSET.test(time)) return Date.parse(`${createdAt}Z`);
  return Date.parse(/[+-]\d{2}$/.test(time) ? `${createdAt}:00` : createdAt);
}

/** @throws UnexpectedResponse when the object is not there */
export function parseObject(body: ApiResponse['body'], key?: string): IDataObject {
  const value = key === undefined ? body : body[key];
  if (!isRecord(value)) throw new UnexpectedResponse(`there is no '${key ?? 'object'}'`);
  return value as IDataObject;
}

/** @throws UnexpectedResponse when the service does not say what it did */
export function parseMessage({ message }: ApiResponse['body']): IDataObject {
  if (typeof message !== 'string') throw new UnexpectedResponse("there is no 'message'");
  return { message };
}
