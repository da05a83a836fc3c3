import { outputField, outputOptions } from '../fields/submissionOutput';
import type { FieldReader } from './reader';
import { optionalTexts, requireBoolean, requireOption } from './values';

export type OutputOptions = ReturnType<typeof parseOutputOptions>;

/** What is not for the user to choose: it depends on the operation or the poll that makes the items. */
interface Use {
  /** For items of several forms: a raw submission does not name its form. */
  addFormIdToRaw: boolean;
  /** Whether an entry of 'Questions to Include' that is no question of the form is an error. Otherwise, it is left out. */
  refuseUnknownQuestions: boolean;
}

/** Reads the output options of the node or the trigger. @throws UserError when an option has a wrong value */
export function parseOutputOptions(read: FieldReader, use: Use) {
  const options = read.within('options');
  return {
    output: read.value(outputField, requireOption),
    answerNames: options.value(outputOptions.answerNames, requireOption),
    includeSkippedQuestions: options.value(outputOptions.includeSkippedQuestions, requireBoolean),
    includeCustomColumns: options.value(outputOptions.includeCustomColumns, requireBoolean),
    includeFormAndIds: options.value(outputOptions.includeFormAndIds, requireBoolean),
    addText: options.value(outputOptions.addText, requireBoolean),
    /** Slugs, labels or column names. Undefined includes all questions. */
    questionsToInclude: options.optional(outputOptions.questionsToInclude, optionalTexts),
    downloadFiles: options.value(outputOptions.downloadFiles, requireBoolean),
    ...use,
  };
}

/** Whether items need the title and questions of their form. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
