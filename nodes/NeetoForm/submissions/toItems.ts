import type { IDataObject } from 'n8n-workflow';
import { filesIn, flatten, toCell, type FileAnswer, type Value } from './answers';
import { chooseColumns, columnNamer, nameColumns, toColumnName, type Column } from './columnNames';
import { answersIn, type ExtractedSubmission } from './extract';
import { needsForm, type OutputOptions } from './outputOptions';
import type { FormDetails } from './questions';
import { toTexts } from './text';
import { objectOf, uniqueNames } from './uniqueNames';

/** A file in an answer, and the key of its binary data in the item. */
export interface AnsweredFile extends FileAnswer {
  /** The key of its binary data: `Resume_1`. */
  key: string;
  /** The name of the column in which its question is. */
  question: string;
}

export interface ItemData {
  json: IDataObject;
  /** The files in its answers. Empty unless files are downloaded. */
  files: AnsweredFile[];
}

/**
 * Turns submissions of one form into the data of items. The respondent's IP address is in raw output only.
 *
 * @param form undefined when `needsForm` is false, or when the service answered 403 or 404: then the answers' own labels are used, and `form_title`
 * is null
 * @throws UserError when Questions to Include names what is no question of the form
 */
export function toItems(
  submissions: ExtractedSubmission[],
  form: FormDetails | undefined,
  formId: string,
  options: OutputOptions,
): ItemData[] {
  const answered = [...new Set(submissions.map(({ questions }) => questions))];
  const columns = nameColumns(form?.questions ?? [], answered.flat(), options);
  const chosen = needsForm(options) ? chooseColumns(columns, options.questionsToInclude, form !== undefined) : [];
  const rawJson = ({ base }: ExtractedSubmission) => (options.addFormIdToRaw ? { form_id: formId, ...base } : base);
  const toJson =
    options.output === 'raw'
      ? rawJson
      : namedJson(submissions, columns, chosen, { form_title: form?.title ?? null, form_id: formId }, options);
  const filesOf = options.downloadFiles ? filesFinder(columns, chosen) : () => [];
  return submissions.map((submission) => ({ json: toJson(submission), files: filesOf(submission) }));
}

function namedJson(
  submissions: ExtractedSubmission[],
  columns: Column[],
  chosen: Column[],
  ofForm: { form_title: string | null; form_id: string },
  options: OutputOptions,
) {
  const { output, includeSkippedQuestions } = options;
  const answerColumns = chosen.map(({ question, name }): [string, string] => [question.slug, name]);
  const customColumns = nameCustomColumns(submissions, columns, options);
  const read = output === 'row' ? toCell : flatten;
  return (submission: ExtractedSubmission): IDataObject => {
    const { id, created_at } = submission.base;
    const values = new Map<string, Value>();
    for (const { question, value } of answersIn(submission)) values.set(question.slug, read(question.kind, value));
    const answers = pick(answerColumns, values, includeSkippedQuestions);
    const custom = objectOf(submission.customColumns.map(([name, value]) => [name, read('', value)]));
    const texts = options.addText ? textsOf(submission, chosen) : {};
    if (output === 'simplified') return { id, created_at, ...ofForm, answers, custom_columns: custom, ...texts };
    const others = pick(customColumns, new Map(Object.entries(custom)), includeSkippedQuestions);
    // A row begins with the time, which people look for, and ends with the IDs, which only machines read.
    const formAndIds = options.includeFormAndIds ? { ...ofForm, submission_id: id } : {};
    return { created_at, ...answers, ...others, ...texts, ...formAndIds };
  };
}

function textsOf(submission: ExtractedSubmission, chosen: Column[]): { text: string; html: string } {
  const cells = new Map(
    answersIn(submission).map(({ question, value }) => [question.slug, toCell(question.kind, value)]),
  );
  const lines = chosen.map(({ question: { slug, label } }) => ({
    question: label.trim() || slug,
    answer: String(cells.get(slug) ?? '').trim(),
  }));
  return toTexts(lines.filter(({ answer }) => answer !== ''));
}

/**
 * Puts values under the names of their columns.
 *
 * @param includesMissing whether a column without a value gets null. Otherwise the column is left out
 */
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

/** Names the custom columns of all submissions. None gets the name of a question's column. */
function nameCustomColumns(
  submissions: ExtractedSubmission[],
  columns: Column[],
  options: OutputOptions,
): Array<[key: string, column: string]> {
  const unique = columnNamer(
    options,
    columns.map(({ name }) => name),
  );
  // In `namedJson`, `objectOf` gives the values their keys: of two custom columns called Status, the second has the key `Status (2)`. The columns
  // need the same keys.
  const keys = new Set(submissions.flatMap(({ customColumns }) => Object.keys(objectOf(customColumns))));
  return [...keys].map((key) => {
    const name = options.answerNames === 'columnName' ? toColumnName(key) || 'column' : key;
    return [key, unique(name)];
  });
}

/**
 * Makes a function that finds the files in the answers to the chosen questions. The keys of files do not depend on which questions are chosen.
 * Nor do they depend on the answers, except for questions that are no longer on the form.
 */
function filesFinder(columns: Column[], chosen: Column[]) {
  const unique = uniqueNames([], (name, copy) => `${name}_${copy}`);
  const keys = new Map(columns.map((column) => [column, unique(toKey(column.name))]));
  const wanted = new Map(chosen.map((column) => [column.question.slug, column]));
  return (submission: ExtractedSubmission): AnsweredFile[] =>
    answersIn(submission).flatMap(({ question, value }) => {
      const column = wanted.get(question.slug);
      if (column === undefined) return [];
      return filesIn(question.kind, value).map((file, place) => ({
        key: `${keys.get(column)}_${place + 1}`,
        question: column.name,
        ...file,
      }));
    });
}

/** The part of a file's key that names the question: letters of any script, digits, `_` and `-`, so that nothing in it has to be escaped. */
function toKey(column: string): string {
  // The lookbehind lets a search begin only at the first of several `_` in sequence. Otherwise, a name with many `_` in its middle would take
  // time by the square of their number.
  return column.replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '_').replace(/^_+|(?<!_)_+$/g, '') || 'File';
}
