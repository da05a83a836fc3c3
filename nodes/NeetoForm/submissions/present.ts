import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import { freeName, hasGaps, nameColumns, objectOf, type AnswerKey, type Asked, type Columns } from './columns';
import { flatten, type Value } from './value';

/** How a submission is handed out (`output`, in node and trigger alike). */
export type Output = 'simplified' | 'answers' | 'raw';

export interface Presentation {
  output: Output;
  answerKey: AnswerKey;
  /** A question that was skipped gives null, so that every item has the same columns. */
  includeSkipped: boolean;
  /** Whether every item says its form, for they may be of several. */
  namesForm?: boolean;
  /** The files in the answers become binary data, named by their questions. */
  downloadFiles: boolean;
}

/** An answer, with a slug of its own within the submission. */
export interface Response extends Asked {
  kind: string;
  value: unknown;
}

/** Whether the form's questions have to be known to name the columns of these submissions, or their files. */
export function needsQuestions(submissions: IDataObject[], { output, answerKey, includeSkipped, downloadFiles }: Presentation): boolean {
  if (submissions.length === 0 || (output === 'raw' && !downloadFiles)) return false;
  return (includeSkipped && output !== 'raw') || (answerKey === 'label' && submissions.some((submission) => hasGaps(responsesOf(submission))));
}

/**
 * Turns the service's submissions into the items' data. The respondent's `user_agent`, with the IP address, is in `raw` only.
 *
 * @param questions of the form, when `needsQuestions` asked for them
 */
export function present(submissions: IDataObject[], formId: string, presentation: Presentation, questions: Asked[] = []): IDataObject[] {
  const { output, includeSkipped, namesForm = false } = presentation;
  if (output === 'raw') return namesForm ? submissions.map((submission) => ({ form_id: formId, ...submission })) : submissions;
  const columns = columnsOf(submissions, presentation, questions);
  const formColumn = freeName('form_id', new Set(columns.values()));
  const skipped = includeSkipped ? questions.map(({ slug }) => slug) : [];
  return submissions.map((submission) => {
    const answers = answersOf(submission, columns, skipped);
    if (output === 'answers') return namesForm ? { [formColumn]: formId, ...answers } : answers;
    return { id: submission.id, created_at: submission.created_at, form_id: formId, answers, custom_columns: customColumnsOf(submission) };
  });
}

/** The column of each question that is asked or answered. */
export function columnsOf(submissions: IDataObject[], { answerKey }: Presentation, questions: Asked[]): Columns {
  return nameColumns([...questions, ...submissions.flatMap(responsesOf)], answerKey);
}

function answersOf(submission: IDataObject, columns: Columns, skipped: string[]): IDataObject {
  const values = new Map<string, Value>(skipped.map((slug) => [slug, null]));
  for (const { slug, value } of responsesOf(submission)) values.set(slug, flatten(value));
  return Object.fromEntries([...values].map(([slug, value]) => [columns.get(slug) ?? slug, value]));
}

export function responsesOf({ responses }: IDataObject): Response[] {
  if (!Array.isArray(responses)) return [];
  const slugs = new Set<string>();
  return responses.filter(isRecord).map(({ slug, label, position, kind, value }: Record<string, unknown>, index) => {
    const unique = freeName(textOf(slug) || textOf(label) || `question-${index + 1}`, slugs);
    slugs.add(unique);
    return { slug: unique, label: textOf(label), position: typeof position === 'number' ? position : index + 1, kind: textOf(kind), value };
  });
}

/** The workspace's own columns, by `field_id` (`neetoform-facts.md`, "Values"). */
function customColumnsOf({ field_values: fieldValues }: IDataObject): IDataObject {
  if (!Array.isArray(fieldValues)) return {};
  const columns = fieldValues.filter(isRecord).filter(({ field_id: fieldId }) => textOf(fieldId) !== '');
  return objectOf(columns.map(({ field_id: fieldId, data }) => [textOf(fieldId), columnValue(data)]));
}

function columnValue(data: unknown): Value {
  if (!isRecord(data)) return flatten(data);
  if ('values' in data) return flatten(data.values);
  return flatten('value' in data ? data.value : data);
}

/**
 * Reads the parameters that node and trigger share.
 *
 * @param parameter gives a parameter's value by its path, or the fallback
 */
export function presentationOf(parameter: (path: string, fallback: string | boolean) => unknown): Presentation {
  const output = parameter('output', 'simplified');
  return {
    output: output === 'raw' || output === 'answers' ? output : 'simplified',
    answerKey: parameter('options.answerKey', 'label') === 'slug' ? 'slug' : 'label',
    includeSkipped: parameter('options.includeSkipped', false) === true,
    downloadFiles: parameter('options.downloadFiles', false) === true,
  };
}
