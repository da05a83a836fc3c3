import type { IDataObject } from 'n8n-workflow';
import { freeName, type Asked } from './columns';
import { columnsOf, type Kept } from './keep';
import type { Presentation } from './presentation';

/**
 * Turns submissions into the items' data. The respondent's `user_agent`, with the IP address, is in `raw` only.
 *
 * @param questions of the form, when `needsQuestions` asked for them
 */
export function present(
  kept: Kept[],
  formId: string,
  presentation: Presentation,
  questions: Asked[] = [],
): IDataObject[] {
  const { output, includeSkipped, namesForm = false } = presentation;
  if (output === 'raw') return kept.map(({ rest }) => (namesForm ? { form_id: formId, ...rest } : rest));
  const columns = columnsOf(kept, presentation, questions);
  const formColumn = freeName('form_id', new Set(columns.values()));
  const skipped = includeSkipped ? questions : [];
  return kept.map(({ rest: { id, created_at, custom_columns }, asked, values }) => {
    const answers: IDataObject = {};
    for (const { slug } of skipped) answers[columns.get(slug) ?? slug] = null;
    asked.forEach(({ slug }, index) => {
      answers[columns.get(slug) ?? slug] = values[index];
    });
    if (output === 'answers') return namesForm ? { [formColumn]: formId, ...answers } : answers;
    return { id, created_at, form_id: formId, answers, custom_columns };
  });
}
