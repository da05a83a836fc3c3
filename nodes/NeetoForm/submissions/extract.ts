import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf, toText } from '../json';
import { toCell } from './answers';
import { limitDepth } from './depth';
import type { OutputOptions } from './outputOptions';
import { parseQuestion, type Question } from './questions';
import { uniqueNames } from './uniqueNames';

/** An answer as the service gives it. */
export interface Answer {
  question: Question;
  value: unknown;
}

/** What is kept of a submission until all are read. */
export interface ExtractedSubmission {
  /** The service's own object in raw output; otherwise only its `id` and `created_at`. */
  base: IDataObject;
  /** The answers. Empty in raw output, unless files are downloaded. */
  answers: Answer[];
  /** The custom columns. Empty unless the output includes them. */
  customColumns: Array<[name: string, value: unknown]>;
}

/** Makes a function that extracts submissions. They share the objects of their questions, which saves memory: questions are few. */
export function createExtractor({
  output,
  downloadFiles,
  includeCustomColumns,
}: OutputOptions): (submission: IDataObject) => ExtractedSubmission {
  const isRaw = output === 'raw';
  const hasCustomColumns = output === 'simplified' || (output === 'row' && includeCustomColumns);
  const known = new Map<string, Question>();
  return (submission) => ({
    base: isRaw ? limitDepth(submission) : { id: submission.id, created_at: submission.created_at ?? null },
    answers: isRaw && !downloadFiles ? [] : answersOf(submission, known),
    customColumns: hasCustomColumns ? customColumnsOf(submission) : [],
  });
}

function answersOf({ responses }: IDataObject, known: Map<string, Question>): Answer[] {
  const list: unknown[] = Array.isArray(responses) ? responses : [];
  const uniqueSlug = uniqueNames();
  return list.filter(isRecord).map((record, index) => ({
    question: share(parseQuestion(record, index, uniqueSlug), known),
    value: record.value,
  }));
}

/** The text in which a search looks for its words: the ID of a submission and its answers. */
export function searchableText(submission: IDataObject): string {
  const cells = answersOf(submission, new Map()).map(({ question, value }) => toCell(question.kind, value));
  return [toText(submission.id), ...cells].join('\n');
}

function share(question: Question, known: Map<string, Question>): Question {
  const same = known.get(question.slug);
  if (same?.label === question.label && same.position === question.position && same.kind === question.kind) return same;
  known.set(question.slug, question);
  return question;
}

/** The workspace's own columns: `{field_id, data: {value}}` and `{field_id, data: {values}}`. Another shape stays as it is. */
function customColumnsOf({ field_values: given }: IDataObject): Array<[name: string, value: unknown]> {
  if (isRecord(given)) return Object.entries(given);
  const list: unknown[] = Array.isArray(given) ? given.filter((entry) => entry !== null) : [];
  return list.map((entry, index) => {
    const column: Record<string, unknown> = isRecord(entry) ? entry : { data: entry };
    const { field_id: fieldId, name, data = entry } = column;
    return [toText(fieldId) || textOf(name) || `Column ${index + 1}`, valueIn(data)];
  });
}

function valueIn(data: unknown): unknown {
  if (!isRecord(data) || !('value' in data || 'values' in data)) return data;
  return data.values ?? data.value;
}
