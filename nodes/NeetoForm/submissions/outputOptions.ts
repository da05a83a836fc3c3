import type { FieldReader } from '../parameters/reader';
import { optionalTexts, requireBoolean, requireOption } from '../parameters/values';
import {
  addTextOption,
  answerNamesOption,
  downloadFilesOption,
  includeCustomColumnsOption,
  includeFormAndIdsOption,
  includeSkippedQuestionsOption,
  outputField,
  questionsOption,
} from '../fields/submissionOutput';

/** How submissions become items; the same in node and trigger. */
export type OutputOptions = ReturnType<typeof parseOutputOptions>;

/** @param namesForm whether raw items get a `form_id`, because they may belong to several forms @throws UserError */
export function parseOutputOptions(read: FieldReader, namesForm: boolean) {
  const options = read.within('options');
  return {
    output: read.required(outputField, requireOption),
    answerNames: options.required(answerNamesOption, requireOption),
    includeSkippedQuestions: options.required(includeSkippedQuestionsOption, requireBoolean),
    includeCustomColumns: options.required(includeCustomColumnsOption, requireBoolean),
    includeFormAndIds: options.required(includeFormAndIdsOption, requireBoolean),
    addText: options.required(addTextOption, requireBoolean),
    /** Slugs, labels or column names, as they were entered; undefined returns all questions. */
    questionsToInclude: options.optional(questionsOption, optionalTexts),
    downloadFiles: options.required(downloadFilesOption, requireBoolean),
    namesForm,
  };
}

/** Whether the form's title and questions are used: raw items without files do without. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
