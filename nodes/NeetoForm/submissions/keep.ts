import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import { freeName, hasGaps, nameColumns, objectOf, type Asked, type Columns } from './columns';
import type { Presentation } from './presentation';
import { filesAnswered, flatten, type FileAnswer, type Value } from './value';

/** What is kept of a submission until all are read: everything but the names of its columns, which depend on the others. */
export interface Kept {
  /** What is handed out beside the answers; in raw output, all there is. */
  rest: IDataObject;
  /** The questions that were answered. Submissions share them: there are few, with long texts, and many submissions. */
  asked: Asked[];
  /** The answer to each of them; none in raw output. */
  values: Value[];
  /** The files in the answer to each of them; none when they are not downloaded. */
  files: FileAnswer[][];
  hasGaps: boolean;
}

/** @returns what makes of one submission after another what is kept of it */
export function keeper({ output, downloadFiles }: Presentation): (submission: IDataObject) => Kept {
  if (output === 'raw' && !downloadFiles)
    return (submission) => ({ rest: submission, asked: [], values: [], files: [], hasGaps: false });
  const shared = new Map<string, Asked>();
  return (submission) => {
    const responses = responsesOf(submission);
    const asked = askedBy(responses, shared);
    return {
      rest: restOf(submission, output),
      asked,
      values: output === 'raw' ? [] : responses.map(({ value }) => flatten(value)),
      files: downloadFiles ? responses.map(({ kind, value }) => filesAnswered(textOf(kind), value)) : [],
      hasGaps: hasGaps(asked),
    };
  };
}

/** Whether the form's questions have to be known to name the columns of these submissions, or their files. */
export function needsQuestions(
  kept: Kept[],
  { output, answerKey, includeSkipped, downloadFiles }: Presentation,
): boolean {
  if (kept.length === 0 || (output === 'raw' && !downloadFiles)) return false;
  return (includeSkipped && output !== 'raw') || (answerKey === 'label' && kept.some((one) => one.hasGaps));
}

/** The column of each question that is asked or answered. */
export function columnsOf(kept: Kept[], { answerKey }: Presentation, questions: Asked[]): Columns {
  const all = new Set(questions);
  for (const { asked } of kept) {
    for (const question of asked) all.add(question);
  }
  return nameColumns(all, answerKey);
}

function restOf(submission: IDataObject, output: Presentation['output']): IDataObject {
  if (output === 'raw') return submission;
  return output === 'answers'
    ? {}
    : { id: submission.id, created_at: submission.created_at, custom_columns: customColumnsOf(submission) };
}

function responsesOf({ responses }: IDataObject): Array<Record<string, unknown>> {
  const list: unknown[] = Array.isArray(responses) ? responses : [];
  return list.filter(isRecord);
}

/** The questions of these responses, each with a slug of its own. */
function askedBy(responses: Array<Record<string, unknown>>, shared: Map<string, Asked>): Asked[] {
  const slugs = new Set<string>();
  return responses.map(({ slug: given, label: text, position: place }, index) => {
    const label = textOf(text);
    const slug = freeName(textOf(given) || label || `question-${index + 1}`, slugs);
    const position = typeof place === 'number' ? place : index + 1;
    slugs.add(slug);
    const known = shared.get(slug);
    if (known?.label === label && known.position === position) return known;
    const question = { slug, label, position };
    shared.set(slug, question);
    return question;
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
