import type { OutputOptions } from '../parameters/outputOptions';
import { invalidValue } from '../parameters/values';
import { comparable } from '../text';
import type { Question } from './questions';
import { RESERVED, uniqueNames, type UniqueNames } from './uniqueNames';

/** PostgreSQL, and so n8n's data tables, allow 63 characters. Five of them are for the numbers of equal names, such as `_2`. */
const MAX_COLUMN_NAME = 58;

export interface Column {
  question: Question;
  /** The key of its answers in an item. */
  name: string;
}

type AnswerNames = OutputOptions['answerNames'];

/** Gives each question a column with a name of its own. The form's questions come first, so that their names do not depend on the answers. */
export function nameColumns(
  form: Question[],
  answered: Iterable<Question>,
  answerNames: AnswerNames,
  unique: UniqueNames,
): Column[] {
  const onForm = new Set(form.map(({ slug }) => slug));
  const bySlug = new Map<string, Question>();
  for (const question of answered) {
    if (!onForm.has(question.slug) && !bySlug.has(question.slug)) bySlug.set(question.slug, question);
  }
  const others = [...bySlug.values()].sort((a, b) => a.position - b.position);
  return [...form, ...others].map((question) => ({ question, name: unique(nameOf(question, answerNames)) }));
}

/** The own columns of n8n's data tables, and `dryRunState`, which they refuse. In lower case, like column names. */
const OF_DATA_TABLES = ['id', 'createdat', 'updatedat', 'dryrunstate'];

/** Makes a function that returns unique names for the columns of an item. @param keptFree what none of them is called */
export function columnNamer(answerNames: AnswerNames, keptFree: string[]): UniqueNames {
  const isForTables = answerNames === 'columnName';
  const spell = isForTables ? (name: string, copy: number) => `${name}_${copy}` : undefined;
  return uniqueNames([...RESERVED, ...keptFree, ...(isForTables ? OF_DATA_TABLES : [])], spell);
}

function nameOf({ slug, label }: Question, answerNames: AnswerNames): string {
  if (answerNames === 'columnName') return toColumnName(label) || toColumnName(slug) || 'question';
  return (answerNames === 'label' && label.trim()) || slug;
}

/** Spells a text as a column name: `1. Größe?` becomes `q_1_grosse`. Returns '' when nothing is left. */
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
 * Finds the columns of the chosen questions. An entry that is no slug, label or column name is split at commas and line breaks.
 *
 * @param refuseUnknown whether an entry that names none of the columns is an error. Otherwise it is left out, even if no column is left then
 * @throws UserError when such an entry is refused
 */
export function chooseColumns(columns: Column[], entries: string[] | undefined, refuseUnknown: boolean): Column[] {
  if (entries === undefined) return columns;
  const named = columnsByName(columns);
  const split = (entry: string) => entry.split(/[,\n]/).filter((part) => part.trim() !== '');
  const names = entries.flatMap((entry) => (named(entry) ? [entry] : split(entry)));
  const unknown = names.filter((name) => !named(name)).map((name) => name.trim());
  if (refuseUnknown && unknown.length > 0) {
    const known = columns.map(({ question: { slug, label } }) => (label.trim() ? `${label.trim()} (${slug})` : slug));
    throw invalidValue(
      `'Questions to Include' names what is no question of this form: ${unknown.join(', ')}`,
      `Enter labels or slugs of the form's questions: ${known.join(', ')}.`,
    );
  }
  // Equal names find the same list. Without this set, `flat` would copy it for each of perhaps thousands of names.
  const lists = new Set(names.map(named));
  const chosen = new Set([...lists].flat());
  return columns.filter((column) => chosen.has(column));
}

/** Makes a function that finds the column whose slug is exactly the entry, or else all whose slug, label or name is the entry in any case. */
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
