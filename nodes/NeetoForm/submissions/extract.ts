import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf, toText } from '../json';
import { filesIn, flatten, toCell, type FileAnswer, type Value } from './answers';
import type { OutputOptions } from './outputOptions';
import { parseQuestions, recordsIn, type Question } from './questions';
import { objectOf } from './uniqueNames';

/** What is kept of a submission until all are read: everything but the names of its columns. */
export interface ExtractedSubmission {
  /** In raw output the service's own object, else its `id` and `created_at`. */
  base: IDataObject;
  /** The answered questions. Submissions share these objects: there are few questions, and many submissions. */
  questions: Question[];
  /** The answer to each of `questions`; none in raw output. */
  values: Value[];
  /** The files in the answer to each of `questions`; none when files are not downloaded. */
  files: FileAnswer[][];
  customColumns: Record<string, Value>;
}

/** @returns a function that extracts one submission after another; it holds the questions that these share */
export function createExtractor(options: OutputOptions): (submission: IDataObject) => ExtractedSubmission {
  const { output, downloadFiles } = options;
  const isRaw = output === 'raw';
  const read = output === 'row' ? toCell : flatten;
  const known = new Map<string, Question>();
  return (submission) => {
    const answers = isRaw && !downloadFiles ? [] : answersOf(submission, options);
    return {
      base: isRaw ? submission : { id: submission.id, created_at: submission.created_at ?? null },
      questions: answers.map(({ question }) => share(question, known)),
      values: isRaw ? [] : answers.map(({ question, value }) => read(question.kind, value)),
      files: downloadFiles ? answers.map(({ question, value }) => filesIn(question.kind, value)) : [],
      customColumns: isRaw ? {} : objectOf(customColumnsOf(submission).map(([name, value]) => [name, read('', value)])),
    };
  };
}

function answersOf(
  { responses }: IDataObject,
  { questions: chosen }: OutputOptions,
): Array<{ question: Question; value: unknown }> {
  const records = recordsIn(responses);
  const answers = parseQuestions(records).map((question, index) => ({ question, value: records[index]?.value }));
  return chosen === undefined ? answers : answers.filter(({ question }) => chosen.includes(question.slug));
}

function share(question: Question, known: Map<string, Question>): Question {
  const same = known.get(question.slug);
  if (same?.label === question.label && same.position === question.position && same.kind === question.kind) return same;
  known.set(question.slug, question);
  return question;
}

/**
 * The workspace's own columns. The service does not document their shape: `{field_id, data: {value}}` and `{field_id, data: {values}}`
 * were seen, and any other passes through.
 */
function customColumnsOf({ field_values: given }: IDataObject): Array<[name: string, value: unknown]> {
  if (isRecord(given)) return Object.entries(given);
  const list: unknown[] = Array.isArray(given) ? given.filter((entry) => entry !== null) : [];
  return list.map((entry, index) => {
    const { field_id: fieldId, name, data = entry } = isRecord(entry) ? entry : { data: entry };
    return [toText(fieldId) || textOf(name) || `Column ${index + 1}`, valueIn(data)];
  });
}

function valueIn(data: unknown): unknown {
  if (!isRecord(data) || !('value' in data || 'values' in data)) return data;
  return data.values ?? data.value;
}
