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
export interface OutputOptions {
  output: 'row' | 'simplified' | 'raw';
  /** What the answers are named by. */
  answerNames: 'label' | 'slug' | 'columnName';
  /** Whether a skipped question is null, so that every item has the same columns. */
  includeSkippedQuestions: boolean;
  /** Whether a row has the workspace's own columns. */
  includeCustomColumns: boolean;
  /** Whether a row ends with the form's title and ID, and the submission's ID. */
  includeFormAndIds: boolean;
  /** Whether an item has all answers as one text, plain and in HTML. */
  addText: boolean;
  /** Slugs, labels or column names of the questions to return, as they were entered; undefined returns all. */
  questionsToInclude?: string[];
  /** Whether the files in the answers become binary data. */
  downloadFiles: boolean;
  /** Whether raw items get a `form_id`, because they may belong to several forms. */
  namesForm: boolean;
}

/**
 * Reads the parameters that node and trigger share.
 *
 * @param namesForm whether the items may belong to several forms
 * @throws UserError when a value makes no sense
 */
export function parseOutputOptions(read: FieldReader, namesForm: boolean): OutputOptions {
  const options = read.within('options');
  return {
    output: read.required(outputField, requireOption),
    answerNames: options.required(answerNamesOption, requireOption),
    includeSkippedQuestions: options.required(includeSkippedQuestionsOption, requireBoolean),
    includeCustomColumns: options.required(includeCustomColumnsOption, requireBoolean),
    includeFormAndIds: options.required(includeFormAndIdsOption, requireBoolean),
    addText: options.required(addTextOption, requireBoolean),
    questionsToInclude: options.optional(questionsOption, optionalTexts),
    downloadFiles: options.required(downloadFilesOption, requireBoolean),
    namesForm,
  };
}

/** Whether the form's title and questions are used: raw items without files do without. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
