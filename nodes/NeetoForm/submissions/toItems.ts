import type { IDataObject } from 'n8n-workflow';
import type { FileAnswer, Value } from './answers';
import { nameColumns, ROW_COLUMNS, type Columns } from './columns';
import type { ExtractedSubmission } from './extract';
import type { OutputOptions } from './outputOptions';
import type { FormDetails, Question } from './questions';
import { uniqueName } from './uniqueNames';

/** A file in an answer, and what it is called in the item. */
export interface AnsweredFile extends FileAnswer {
  /** The key of its binary data: `Resume_1`. */
  key: string;
  /** The column of its question. */
  question: string;
}

/**
 * Turns submissions of one form into the data of items. The respondent's IP address is in raw output only.
 *
 * @param form undefined when it could not be read: the answers' own labels are used, and `form_title` is null
 * @returns the data of each item, and the files in its answers (an empty list when files are not downloaded)
 */
export function toItems(
  extracted: ExtractedSubmission[],
  form: FormDetails | undefined,
  formId: string,
  options: OutputOptions,
): { items: IDataObject[]; files: AnsweredFile[][] } {
  const columns = nameColumns(form?.questions ?? [], questionsIn(extracted), options);
  const about = { form_id: formId, form_title: form?.title ?? null };
  return {
    items:
      options.output === 'raw' ? rawItems(extracted, formId, options) : namedItems(extracted, columns, about, options),
    files: extracted.map(filesNamedBy(columns)),
  };
}

function questionsIn(extracted: ExtractedSubmission[]): Set<Question> {
  const all = new Set<Question>();
  for (const { questions } of extracted) for (const question of questions) all.add(question);
  return all;
}

function rawItems(extracted: ExtractedSubmission[], formId: string, { namesForm }: OutputOptions): IDataObject[] {
  return extracted.map(({ base }) => (namesForm ? { form_id: formId, ...base } : base));
}

function namedItems(
  extracted: ExtractedSubmission[],
  columns: Columns,
  about: IDataObject,
  { output, includeSkippedQuestions, questions: chosen }: OutputOptions,
): IDataObject[] {
  const answerColumns = [...columns].filter(([slug]) => chosen?.includes(slug) ?? true);
  const customColumns = nameCustomColumns(extracted, columns);
  return extracted.map(({ base, questions, values, customColumns: custom }) => {
    const bySlug = new Map(questions.map(({ slug }, index) => [slug, values[index]]));
    const answers = pick(answerColumns, bySlug, includeSkippedQuestions);
    if (output === 'simplified') return { ...base, ...about, answers, custom_columns: custom };
    return {
      ...base,
      ...about,
      ...answers,
      ...pick(customColumns, new Map(Object.entries(custom)), includeSkippedQuestions),
    };
  });
}

/** The values under their columns' names, null for those that are missing if these are included. */
function pick(
  columns: Array<[key: string, column: string]>,
  values: Map<string, Value>,
  includesMissing: boolean,
): IDataObject {
  const picked: IDataObject = {};
  for (const [key, column] of columns) {
    if (values.has(key)) picked[column] = values.get(key);
    else if (includesMissing) picked[column] = null;
  }
  return picked;
}

/** The column of each custom column in a row. */
function nameCustomColumns(extracted: ExtractedSubmission[], columns: Columns): Array<[key: string, column: string]> {
  const keys = new Set<string>();
  for (const { customColumns } of extracted) for (const key of Object.keys(customColumns)) keys.add(key);
  const taken = new Set([...ROW_COLUMNS, ...columns.values()]);
  return [...keys].map((key) => [key, uniqueName(key, taken)]);
}

function filesNamedBy(columns: Columns): (submission: ExtractedSubmission) => AnsweredFile[] {
  const taken = new Set<string>();
  const keys = new Map(
    [...columns].map(([slug, column]) => [slug, uniqueName(toKey(column), taken, (name, copy) => `${name}_${copy}`)]),
  );
  return ({ questions, files }) =>
    files.flatMap((ofAnswer, index) => {
      const slug = questions[index]?.slug ?? '';
      const [question = slug, key = slug] = [columns.get(slug), keys.get(slug)];
      return ofAnswer.map((file, place) => ({ key: `${key}_${place + 1}`, question, ...file }));
    });
}

/** The question's part of a key: letters of any script, digits, `_` and `-`, so that expressions need no escaping. */
function toKey(column: string): string {
  return column.replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '_').replace(/^_+|_+$/g, '') || 'File';
}
