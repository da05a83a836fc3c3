import type { IDataObject } from 'n8n-workflow';
import { isRecord, numberOf, textOf, toText } from '../json';
import type { ListKey } from './endpoints';
import { UnexpectedResponse } from './errors';
import type { ApiResponse } from './request';

/** One row of a list: a form, a submission or a team member. What this package relies on is read once, where the row arrives. */
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
 * @param list the key that holds the rows
 * @throws UnexpectedResponse when the list is missing, a row has no id, or the time or the answers of a submission cannot be read
 */
export function parsePage({ body, serverTime }: ApiResponse, list: ListKey): Page {
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

function parseRow(data: unknown, list: ListKey): Row {
  const id = isRecord(data) ? toText(data.id) : '';
  if (!isRecord(data) || id === '') throw new UnexpectedResponse(`a row of '${list}' has no id`);
  const createdMs = parseTime(data.created_at);
  if (list === 'submissions') {
    if (Number.isNaN(createdMs)) throw new UnexpectedResponse(`submission '${id}' has no creation time`);
    // A submission without answers may have null; one without the key has its answers somewhere else.
    if (data.responses !== null && !Array.isArray(data.responses))
      throw new UnexpectedResponse(`submission '${id}' has no list of answers`);
  }
  return { id, createdMs, data };
}

/** `2026-02-09T12:00:00.000Z`, or with a blank before the time; the zone may be `Z`, `UTC`, `+05:30`, `+0530` or `+05`. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?: ?(?:Z|UTC|([+-]\d\d):?(\d\d)?))?$/i;

/** @returns ms since 1970; NaN for what is not a time. Without a zone it is UTC, as everything the service says. */
export function parseTime(value: unknown): number {
  const [, day, time = '00:00', hours, minutes = '00'] = TIME.exec(textOf(value)) ?? [];
  return Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
}

/** A form or a team member. @param key where it is in the body @throws UnexpectedResponse when it is not there, or has no id */
export function parseObject(body: ApiResponse['body'], key?: string): IDataObject {
  const value = key === undefined ? body : body[key];
  if (!isRecord(value)) throw new UnexpectedResponse(`there is no '${key ?? 'object'}'`);
  if (toText(value.id) === '') throw new UnexpectedResponse(`the '${key ?? 'object'}' has no id`);
  return value;
}

/** A form with its questions. @throws UnexpectedResponse when it is none */
export function parseForm(body: ApiResponse['body']): IDataObject {
  const form = parseObject(body);
  if (!Array.isArray(form.questions)) throw new UnexpectedResponse("there is no list of 'questions'");
  return form;
}

/** @throws UnexpectedResponse when the service does not say what it did */
export function parseMessage({ message }: ApiResponse['body']): IDataObject {
  if (typeof message !== 'string') throw new UnexpectedResponse("there is no 'message'");
  return { message };
}
