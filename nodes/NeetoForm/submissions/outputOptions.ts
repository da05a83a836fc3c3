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

/** The options that say how submissions become items. Node and trigger have the same ones. */
export type OutputOptions = ReturnType<typeof parseOutputOptions>;

/**
 * Reads these options.
 *
 * @param purpose `addFormIdToRaw`: whether raw items get a `form_id`. Items of several forms need it, because the service's own data does not
 * name the form
 * @throws UserError when an option has a wrong value
 */
export function parseOutputOptions(read: FieldReader, { addFormIdToRaw }: { addFormIdToRaw: boolean }) {
  const options = read.within('options');
  return {
    output: read.value(outputField, requireOption),
    answerNames: options.value(answerNamesOption, requireOption),
    includeSkippedQuestions: options.value(includeSkippedQuestionsOption, requireBoolean),
    includeCustomColumns: options.value(includeCustomColumnsOption, requireBoolean),
    includeFormAndIds: options.value(includeFormAndIdsOption, requireBoolean),
    addText: options.value(addTextOption, requireBoolean),
    /** Slugs, labels or column names, as they were entered; undefined returns all questions. */
    questionsToInclude: options.optional(questionsOption, optionalTexts),
    downloadFiles: options.value(downloadFilesOption, requireBoolean),
    addFormIdToRaw,
  };
}

/** Whether items need the title and questions of their form. Only raw items without files do not. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
