import { comparable } from '../json';
import { invalidValue } from '../parameters/values';
import type { OutputOptions } from './outputOptions';
import type { Question } from './questions';
import { RESERVED, uniqueNames, type UniqueNames } from './uniqueNames';

/**
 * How many characters a column name has at most. PostgreSQL, and so n8n's data tables, allow 63. The last five are left for the numbers of
 * equal names: `_2`.
 */
const MAX_COLUMN_NAME = 58;

/** A question, and what its answers are called. */
export interface Column {
  question: Question;
  name: string;
}

type Naming = Pick<OutputOptions, 'answerNames' | 'output' | 'addText'>;

/**
 * Names the column of each question. Two questions with one label become `Name` and `Name (2)`, or `name` and `name_2`. A question
 * without a label is named by its slug. The questions of the form come first, so that their names do not depend on what was answered.
 * Then come questions of the answers that are no longer on the form, by their positions.
 */
export function nameColumns(form: Question[], answered: Iterable<Question>, naming: Naming): Column[] {
  const onForm = new Set(form.map(({ slug }) => slug));
  const others = new Map<string, Question>();
  for (const question of answered) {
    if (!onForm.has(question.slug) && !others.has(question.slug)) others.set(question.slug, question);
  }
  const unique = columnNamer(naming);
  return [...form, ...[...others.values()].sort((a, b) => a.position - b.position)].map((question) => ({
    question,
    name: unique(nameOf(question, naming)),
  }));
}

/**
 * Keys that a row may have beside its answers. No question is named like them, even if the options leave a key out: the name of a column
 * must not change with an option. There is one exception: `text` and `html` are kept free only with Add Text. `is_sample` marks a sample,
 * `files_not_downloaded` comes with files, and n8n's data tables replace `id` by an ID of their own.
 */
const OWN = ['is_sample', 'created_at', 'form_title', 'form_id', 'submission_id', 'files_not_downloaded', 'id'];

/** In lower case: the columns that n8n's data tables have of their own, and `dryRunState`, which they refuse. */
const OF_DATA_TABLES = ['id', 'createdat', 'updatedat', 'dryrunstate'];

/** Makes a function that gives each column a name which no other key of an item has. @param others further names that are in use */
export function columnNamer({ output, addText, answerNames }: Naming, others: string[] = []): UniqueNames {
  const isForTables = answerNames === 'columnName';
  const own = output === 'row' ? [...OWN, ...(addText ? ['text', 'html'] : [])] : [];
  const spell = isForTables ? (name: string, copy: number) => `${name}_${copy}` : undefined;
  return uniqueNames([...RESERVED, ...own, ...(isForTables ? OF_DATA_TABLES : []), ...others], spell);
}

function nameOf({ slug, label }: Question, { answerNames }: Naming): string {
  if (answerNames === 'columnName') return toColumnName(label) || toColumnName(slug) || 'question';
  return (answerNames === 'label' && label.trim()) || slug;
}

/** Spells a text as a column name such as `full_name`: only a-z, digits and `_`, a letter first, without accents; '' when nothing is left. */
export function toColumnName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // `ß` has no accent to remove, but its upper case is `SS`.
    .toUpperCase()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '');
  return (/^\d/.test(name) ? `q_${name}` : name).slice(0, MAX_COLUMN_NAME).replace(/_$/, '');
}

/**
 * Finds the columns of the chosen questions. An entry is a slug, a label or a column name, in upper or lower case. If an entry with commas or
 * line breaks is none of these as a whole, the parts between them are entries. Without entries, all columns are chosen.
 *
 * @param isComplete whether `columns` has all questions of the form: only then is an entry without a question refused
 * @throws UserError that names the entries without a question, and the questions of the form
 */
export function chooseColumns(columns: Column[], entries: string[] | undefined, isComplete: boolean): Column[] {
  if (entries === undefined) return columns;
  const named = columnsByName(columns);
  const chosen = new Set<Column[]>();
  const unknown: string[] = [];
  for (const entry of entries) {
    const parts = named(entry) ? [entry] : entry.split(/[,\n]/).filter((part) => part.trim() !== '');
    for (const part of parts) {
      const found = named(part);
      if (found) chosen.add(found);
      else unknown.push(part.trim());
    }
  }
  if (isComplete && unknown.length > 0) {
    const known = columns.map(({ question: { slug, label } }) => (label.trim() ? `${label.trim()} (${slug})` : slug));
    throw invalidValue(
      `'Questions to Include' names what is no question of this form: ${unknown.join(', ')}`,
      `Enter labels or slugs of the form's questions: ${known.join(', ')}.`,
    );
  }
  const included = new Set([...chosen].flat());
  return columns.filter((column) => included.has(column));
}

/**
 * Makes a function that finds columns: the one with exactly this slug; or, if there is none, those with this slug, label or name in upper or
 * lower case.
 */
function columnsByName(columns: Column[]): (entry: string) => Column[] | undefined {
  const bySlug = new Map(columns.map((column) => [column.question.slug, [column]]));
  const byName = new Map<string, Column[]>();
  for (const column of columns) {
    const { slug, label } = column.question;
    for (const name of new Set([label, column.name, slug].map(comparable))) {
      const same = byName.get(name);
      if (same) same.push(column);
      else byName.set(name, [column]);
    }
  }
  return (entry) => bySlug.get(entry) ?? byName.get(comparable(entry));
}
