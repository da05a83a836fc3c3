import type { IDataObject } from 'n8n-workflow';
import type { ApiResponse } from './request';
import { isRecord } from '../json';
import { UnexpectedResponse } from './shape';
import type { Page, Question, Row, Submission } from './types';

/**
 * @param list the key that holds the rows: `forms`, `submissions` or `team_members`
 * @throws UnexpectedResponse when the list is missing or a row has no id
 */
export function parsePage({ body, serverTime }: ApiResponse, list: string): Page {
  const rows = body[list];
  if (!Array.isArray(rows)) throw new UnexpectedResponse(`there is no list of '${list}'`);
  return { rows: rows.map((row) => readRow(row, list)), total: readTotal(body), serverTime };
}

/** The total stands in `pagination`, and in v1 and older pages at the top (`neetoform-facts.md`, "Wire"). */
function readTotal(body: ApiResponse['body']): number | undefined {
  const pagination = isRecord(body.pagination) ? body.pagination : {};
  const total = pagination.total_records ?? body.total_count;
  return typeof total === 'number' ? total : undefined;
}

function readRow(row: unknown, list: string): Row {
  if (!isRecord(row) || typeof row.id !== 'string' || row.id === '')
    throw new UnexpectedResponse(`a row of '${list}' has no id`);
  return row as Row;
}

/** @throws UnexpectedResponse when a submission's creation time is not a date */
export function parseSubmission(row: Row): Submission {
  if (Number.isNaN(createdMs(row))) throw new UnexpectedResponse(`submission '${row.id}' has no creation time`);
  return row as Submission;
}

/** ms since 1970 of a row's creation, NaN when it has none. A time without zone is UTC, as everything the service says. */
export function createdMs({ created_at: createdAt }: Row): number {
  if (typeof createdAt !== 'string') return NaN;
  const hasZone = /(?:[zZ]|[+-]\d{2}:?\d{2})$/.test(createdAt);
  return Date.parse(hasZone ? createdAt : `${createdAt}Z`);
}

/** @throws UnexpectedResponse when the object is not there */
export function parseObject(body: ApiResponse['body'], key?: string): IDataObject {
  const value = key === undefined ? body : body[key];
  if (!isRecord(value)) throw new UnexpectedResponse(`there is no '${key ?? 'object'}'`);
  return value as IDataObject;
}

/** @throws UnexpectedResponse when the form has no list of questions */
export function parseQuestions(form: ApiResponse['body']): Question[] {
  if (!Array.isArray(form.questions)) throw new UnexpectedResponse("there is no list of 'questions'");
  return form.questions.filter(isRecord).map(({ slug, label, position }, index) => ({
    slug: typeof slug === 'string' ? slug : '',
    label: typeof label === 'string' ? label : '',
    position: typeof position === 'number' ? position : index,
  }));
}

/** @throws UnexpectedResponse when the service does not say what it did */
export function parseMessage({ message }: ApiResponse['body']): IDataObject {
  if (typeof message !== 'string') throw new UnexpectedResponse("there is no 'message'");
  return { message };
}
