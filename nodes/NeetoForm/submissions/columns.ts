import type { OutputOptions } from './outputOptions';
import type { Question } from './questions';
import { RESERVED, uniqueName } from './uniqueNames';

/** The column of each question, by slug, in the order of the columns. */
export type Columns = ReadonlyMap<string, string>;

/** What every row begins with. */
export const ROW_COLUMNS = ['id', 'created_at', 'form_id', 'form_title'];

/**
 * Names the column of each question. Two questions with one label become `Name` and `Name (2)`; a question without a label is named
 * by its slug.
 *
 * @param form all questions of the form, so that a name does not depend on what was answered
 * @param answered questions of the answers; those that are not on the form (deleted, say) follow in the order of their positions
 */
export function nameColumns(
  form: Question[],
  answered: Iterable<Question>,
  { answerNames, output }: Pick<OutputOptions, 'answerNames' | 'output'>,
): Columns {
  const onForm = new Set(form.map(({ slug }) => slug));
  const others = new Map<string, Question>();
  for (const question of answered) {
    if (!onForm.has(question.slug) && !others.has(question.slug)) others.set(question.slug, question);
  }
  const inOrder = [...form, ...[...others.values()].sort((a, b) => a.position - b.position)];
  const taken = new Set(output === 'row' ? [...RESERVED, ...ROW_COLUMNS] : RESERVED);
  return new Map(
    inOrder.map(({ slug, label }) => [slug, uniqueName((answerNames === 'label' && label.trim()) || slug, taken)]),
  );
}
