import type { IDataObject } from 'n8n-workflow';
import { idText, isRecord, textOf } from '../json';
import type { OutputOptions } from '../parameters/outputOptions';
import { filesIn, limitDepth, toCell } from './answers';
import { parseQuestion, type Question } from './questions';
import { uniqueNames } from './uniqueNames';

export interface Answer {
  question: Question;
  value: unknown;
}

/** What the output needs of a submission. Lists that it does not need are empty. */
export interface ExtractedSubmission {
  /** The whole object in raw output, otherwise only its `id` and `created_at`. */
  base: IDataObject;
  questions: readonly Question[];
  values: readonly unknown[];
  customColumns: ReadonlyArray<[name: string, value: unknown]>;
}

/** Pairs each question with the value of its answer. */
export function answersIn({ questions, values }: ExtractedSubmission): Answer[] {
  return questions.map((question, index) => ({ question, value: values[index] }));
}

/** All submissions share one empty list, to save memory. */
const NONE = [] as const;

/** Makes a function that extracts submissions. To save memory, equal questions are shared, and successive submissions share equal lists of them. */
export function createExtractor(options: OutputOptions): (submission: IDataObject) => ExtractedSubmission {
  const { output, downloadFiles, includeCustomColumns } = options;
  const isRaw = output === 'raw';
  const hasCustomColumns = output === 'simplified' || (output === 'row' && includeCustomColumns);
  const known = new Map<string, Question>();
  let questions: readonly Question[] = NONE;
  return (submission) => {
    const answers = isRaw && !downloadFiles ? NONE : parseAnswers(submission, known);
    if (!hasSameQuestions(answers, questions)) questions = answers.map(({ question }) => question);
    return {
      base: isRaw ? limitDepth(submission) : { id: submission.id, created_at: submission.created_at },
      questions,
      values: answers.length === 0 ? NONE : answers.map(({ value }) => value),
      customColumns: hasCustomColumns ? customColumnsOf(submission) : NONE,
    };
  };
}

function hasSameQuestions(answers: readonly Answer[], questions: readonly Question[]): boolean {
  return answers.length === questions.length && answers.every(({ question }, index) => question === questions[index]);
}

function parseAnswers({ responses }: IDataObject, known: Map<string, Question>): Answer[] {
  const list: unknown[] = Array.isArray(responses) ? responses.filter((entry) => entry !== null) : [];
  const uniqueSlug = uniqueNames();
  return list.map((entry, index) => {
    // The service documents objects. Anything else is kept as the answer to an unknown question.
    const record: Record<string, unknown> = isRecord(entry) ? entry : { value: entry };
    return { question: share(parseQuestion(record, index, uniqueSlug), known), value: record.value };
  });
}

/** Joins what a search can find: the ID of a submission, its answers, and the names of its files. */
export function searchableText(submission: IDataObject): string {
  const answers = parseAnswers(submission, new Map()).map(({ question: { kind }, value }) => {
    return [toCell(kind, value), ...filesIn(kind, value).map(({ name }) => name)];
  });
  return [idText(submission.id), ...answers.flat()].join('\n');
}

function share(question: Question, known: Map<string, Question>): Question {
  const same = known.get(question.slug);
  if (same?.label === question.label && same.position === question.position && same.kind === question.kind) return same;
  known.set(question.slug, question);
  return question;
}

/** Reads custom columns: `{field_id, data: {value}}` or `{field_id, data: {values}}`. Other shapes are read as far as possible. */
function customColumnsOf({ field_values: given }: IDataObject): Array<[name: string, value: unknown]> {
  if (isRecord(given)) return Object.entries(given);
  const list: unknown[] = Array.isArray(given) ? given.filter((entry) => entry !== null) : [];
  return list.map((entry, index) => {
    // An entry without `data` is itself the value.
    const { field_id: fieldId, name, data }: Record<string, unknown> = isRecord(entry) ? entry : {};
    return [idText(fieldId) || textOf(name) || `Column ${index + 1}`, valueIn(data === undefined ? entry : data)];
  });
}

function valueIn(data: unknown): unknown {
  if (!isRecord(data) || !('value' in data || 'values' in data)) return data;
  return data.values ?? data.value;
}
