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

export type OutputOptions = ReturnType<typeof parseOutputOptions>;

/** Reads the output options of the node or the trigger. @throws UserError when an option has a wrong value */
export function parseOutputOptions(read: FieldReader, { addFormIdToRaw }: { addFormIdToRaw: boolean }) {
  const options = read.within('options');
  return {
    output: read.value(outputField, requireOption),
    answerNames: options.value(answerNamesOption, requireOption),
    includeSkippedQuestions: options.value(includeSkippedQuestionsOption, requireBoolean),
    includeCustomColumns: options.value(includeCustomColumnsOption, requireBoolean),
    includeFormAndIds: options.value(includeFormAndIdsOption, requireBoolean),
    addText: options.value(addTextOption, requireBoolean),
    /** Slugs, labels or column names. Undefined includes all questions. */
    questionsToInclude: options.optional(questionsOption, optionalTexts),
    downloadFiles: options.value(downloadFilesOption, requireBoolean),
    /** For items of several forms: a raw submission does not name its form. */
    addFormIdToRaw,
  };
}

/** Whether items need the title and questions of their form. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
