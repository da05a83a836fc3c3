import type { IDataObject } from 'n8n-workflow';

import { createExtractor } from '../../nodes/NeetoForm/submissions/extract';
import type { OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import type { FormDetails, Question } from '../../nodes/NeetoForm/submissions/questions';
import { toItems, type ItemData } from '../../nodes/NeetoForm/submissions/toItems';

/** Options as a user leaves them, but for some. */
export const optionsOf = (over: Partial<OutputOptions> = {}): OutputOptions => ({
  output: 'row',
  answerNames: 'label',
  includeSkippedQuestions: true,
  includeCustomColumns: false,
  includeFormAndIds: true,
  addText: false,
  questionsToInclude: undefined,
  downloadFiles: false,
  addFormIdToRaw: false,
  refuseUnknownQuestions: true,
  ...over,
});

/** A form with these questions. */
export const formOf = (questions: Question[]): FormDetails => ({ title: 'Form', questions });

/** The items of submissions of a form; without its details where these cannot be read. */
export function itemsOf(submissions: IDataObject[], options: OutputOptions, form?: FormDetails): ItemData[] {
  return toItems(submissions.map(createExtractor(options)), form, 'form-1', options);
}
