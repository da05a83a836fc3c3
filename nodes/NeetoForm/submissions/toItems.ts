import type { IDataObject } from 'n8n-workflow';
import { needsForm, type OutputOptions } from '../parameters/outputOptions';
import { filesIn, flatten, toCell, type FileAnswer, type Value } from './answers';
import { toTexts } from './answerTexts';
import { chooseColumns, columnNamer, nameColumns, toColumnName, type Column } from './columnNames';
import { answersIn, createExtractor, type ExtractedSubmission } from './extract';
import type { FormDetails } from './questions';
import { objectOf, uniqueNames, type UniqueNames } from './uniqueNames';

export interface AnsweredFile extends FileAnswer {
  /** The key of its binary data in the item: `Resume_1`. */
  key: string;
  /** The column name of its question. */
  question: string;
}

export interface ItemData {
  json: IDataObject;
  /** Empty unless files are downloaded. */
  files: AnsweredFile[];
}

/** A column, and the key of its value in a submission: the slug of a question, or the name of a custom column. */
type KeyedColumn = [key: string, column: string];

/** Keys that a row may get later: in a sample, for files, and in a data table. */
const ADDED_LATER = ['is_sample', 'files_not_downloaded', 'id'];

/**
 * Turns submissions of one form into the data of items.
 *
 * @param form undefined when it is not needed or cannot be read. Columns are then named by the labels in the answers
 * @throws UserError when Questions to Include names what is no question of the form, and `refuseUnknownQuestions` is set
 */
export function toItems(
  submissions: ExtractedSubmission[],
  form: FormDetails | undefined,
  formId: string,
  options: OutputOptions,
): ItemData[] {
  // Submissions that answer the same questions share one list of them.
  const answered = [...new Set(submissions.map(({ questions }) => questions))];
  const ofForm = { form_title: form?.title ?? null, form_id: formId };
  const unique = columnNamer(options.answerNames, keysBesideAnswers(ofForm, options));
  const columns = nameColumns(form?.questions ?? [], answered.flat(), options.answerNames, unique);
  const { questionsToInclude, refuseUnknownQuestions } = options;
  // Without the form, `columns` may lack questions that it has.
  const refuseUnknown = refuseUnknownQuestions && form !== undefined;
  const chosen = needsForm(options) ? chooseColumns(columns, questionsToInclude, refuseUnknown) : [];
  const customColumns = nameCustomColumns(submissions, options, unique);
  const rawJson = ({ base }: ExtractedSubmission) => (options.addFormIdToRaw ? { form_id: formId, ...base } : base);
  const toJson = options.output === 'raw' ? rawJson : namedJson(chosen, customColumns, ofForm, options);
  const filesOf = options.downloadFiles ? filesFinder(columns, chosen) : () => [];
  return submissions.map((submission) => ({ json: toJson(submission), files: filesOf(submission) }));
}

/** What no question of a row is called: the keys of a row without answers, and what is added later. In other outputs, answers stand apart. */
function keysBesideAnswers(ofForm: IDataObject, options: OutputOptions): string[] {
  if (options.output !== 'row') return [];
  // With the form and IDs in any case, so that no name depends on Include Form and IDs.
  const row = namedJson([], [], ofForm, { ...options, includeFormAndIds: true })(createExtractor(options)({}));
  return [...Object.keys(row), ...ADDED_LATER];
}

function namedJson(chosen: Column[], customColumns: KeyedColumn[], ofForm: IDataObject, options: OutputOptions) {
  const { output, includeSkippedQuestions } = options;
  const answerColumns = chosen.map(({ question, name }): KeyedColumn => [question.slug, name]);
  const read = output === 'row' ? toCell : flatten;
  return (submission: ExtractedSubmission): IDataObject => {
    const { id, created_at } = submission.base;
    const answers = pick(answerColumns, answersBySlug(submission, read), includeSkippedQuestions);
    const custom = objectOf(submission.customColumns.map(([name, value]) => [name, read('', value)]));
    const texts = options.addText ? textsOf(submission, chosen) : {};
    if (output === 'simplified') return { id, created_at, ...ofForm, answers, custom_columns: custom, ...texts };
    // Like a skipped question, a custom column without a value gets null.
    const others = pick(customColumns, new Map(Object.entries(custom)), includeSkippedQuestions);
    const formAndIds = options.includeFormAndIds ? { ...ofForm, submission_id: id } : {};
    return { created_at, ...answers, ...others, ...texts, ...formAndIds };
  };
}

function textsOf(submission: ExtractedSubmission, chosen: Column[]): { text: string; html: string } {
  const cells = answersBySlug(submission, toCell);
  const lines = chosen.map(({ question: { slug, label } }) => ({
    question: label.trim() || slug,
    answer: String(cells.get(slug) ?? '').trim(),
  }));
  return toTexts(lines.filter(({ answer }) => answer !== ''));
}

function answersBySlug<T>(submission: ExtractedSubmission, read: (kind: string, value: unknown) => T): Map<string, T> {
  return new Map(answersIn(submission).map(({ question: { slug, kind }, value }) => [slug, read(kind, value)]));
}

/** Puts values under the names of their columns. @param includesMissing whether a column without a value gets null */
function pick(columns: KeyedColumn[], values: Map<string, Value>, includesMissing: boolean): IDataObject {
  const picked: IDataObject = {};
  for (const [key, column] of columns) {
    if (values.has(key)) picked[column] = values.get(key);
    else if (includesMissing) picked[column] = null;
  }
  return picked;
}

function nameCustomColumns(submissions: ExtractedSubmission[], { answerNames }: OutputOptions, unique: UniqueNames) {
  // `namedJson` finds values under these keys: `objectOf` renames a second column `Status` to `Status (2)`.
  const keys = new Set(submissions.flatMap(({ customColumns }) => Object.keys(objectOf(customColumns))));
  return [...keys].map((key): KeyedColumn => {
    const name = answerNames === 'columnName' ? toColumnName(key) || 'column' : key;
    return [key, unique(name)];
  });
}

function filesFinder(columns: Column[], chosen: Column[]) {
  // All columns get a key, so that the keys of files do not depend on which questions are chosen.
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

/** Spells a column name as a key that needs no escaping in an expression: letters of any script, digits, `_` and `-`. */
function toKey(column: string): string {
  // Without the lookbehind, a name with a long run of `_` in its middle would take quadratic time.
  return column.replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '_').replace(/^_+|(?<!_)_+$/g, '') || 'File';
}
