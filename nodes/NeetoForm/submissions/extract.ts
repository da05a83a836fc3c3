import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf, toText } from '../json';
import { filesIn, toCell } from './answers';
import { limitDepth } from './depth';
import type { OutputOptions } from './outputOptions';
import { parseQuestion, type Question } from './questions';
import { uniqueNames } from './uniqueNames';

export interface Answer {
  question: Question;
  value: unknown;
}

/** What is kept of a submission until all are read. */
export interface ExtractedSubmission {
  /** The service's own object in raw output; otherwise only its `id` and `created_at`. */
  base: IDataObject;
  /** The answered questions. Empty in raw output, unless files are downloaded. */
  questions: readonly Question[];
  values: readonly unknown[];
  /** The custom columns. Empty unless the output includes them. */
  customColumns: ReadonlyArray<[name: string, value: unknown]>;
}

/** The answers of a submission with their questions. */
export function answersIn({ questions, values }: ExtractedSubmission): Answer[] {
  return questions.map((question, index) => ({ question, value: values[index] }));
}

/** One empty list for all submissions, because each list of its own would take memory. */
const NONE = [] as const;

/**
 * Makes a function that extracts submissions. To save memory, they share the objects of their questions, of which there are few. And a
 * submission that answers the same questions as the one before shares its list of questions.
 */
export function createExtractor({
  output,
  downloadFiles,
  includeCustomColumns,
}: OutputOptions): (submission: IDataObject) => ExtractedSubmission {
  const isRaw = output === 'raw';
  const hasCustomColumns = output === 'simplified' || (output === 'row' && includeCustomColumns);
  const known = new Map<string, Question>();
  let questions: readonly Question[] = NONE;
  return (submission) => {
    const answers = isRaw && !downloadFiles ? NONE : answersOf(submission, known);
    if (!haveQuestions(answers, questions)) questions = answers.map(({ question }) => question);
    return {
      base: isRaw ? limitDepth(submission) : { id: submission.id, created_at: submission.created_at ?? null },
      questions,
      values: answers.length === 0 ? NONE : answers.map(({ value }) => value),
      customColumns: hasCustomColumns ? customColumnsOf(submission) : NONE,
    };
  };
}

function haveQuestions(answers: readonly Answer[], questions: readonly Question[]): boolean {
  return answers.length === questions.length && answers.every(({ question }, index) => question === questions[index]);
}

function answersOf({ responses }: IDataObject, known: Map<string, Question>): Answer[] {
  const list: unknown[] = Array.isArray(responses) ? responses.filter((entry) => entry !== null) : [];
  const uniqueSlug = uniqueNames();
  return list.map((entry, index) => {
    // The service documents objects. Anything else is kept as an answer to a question of which nothing is known.
    const record: Record<string, unknown> = isRecord(entry) ? entry : { value: entry };
    return { question: share(parseQuestion(record, index, uniqueSlug), known), value: record.value };
  });
}

/** The text in which a search looks for its words: the ID of a submission and its answers, with the names of files. */
export function searchableText(submission: IDataObject): string {
  const answers = answersOf(submission, new Map()).map(({ question: { kind }, value }) => {
    return [toCell(kind, value), ...filesIn(kind, value).map(({ name }) => name)];
  });
  return [toText(submission.id), ...answers.flat()].join('\n');
}

function share(question: Question, known: Map<string, Question>): Question {
  const same = known.get(question.slug);
  if (same?.label === question.label && same.position === question.position && same.kind === question.kind) return same;
  known.set(question.slug, question);
  return question;
}

/** The workspace's own columns: `{field_id, data: {value}}` or `{field_id, data: {values}}`. In another shape, the value is found if possible. */
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
