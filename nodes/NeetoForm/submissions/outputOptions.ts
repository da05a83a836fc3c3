import { listOfTexts, requireBoolean, requireOption } from '../parameters';

/** How submissions become items; the same in node and trigger. */
export interface OutputOptions {
  output: 'row' | 'simplified' | 'raw';
  /** What the answers are named by. */
  answerNames: 'label' | 'slug' | 'columnName';
  /** Whether a skipped question is null, so that every item has the same columns. */
  includeSkippedQuestions: boolean;
  /** Whether a row has the workspace's own columns. */
  includeCustomColumns: boolean;
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
 * @param parameter returns a parameter's value by its path, or the fallback
 * @param namesForm whether the items may belong to several forms
 * @throws UserError when a value makes no sense
 */
export function parseOutputOptions(
  parameter: (path: string, fallback: unknown) => unknown,
  namesForm: boolean,
): OutputOptions {
  const questions = listOfTexts('Questions to Include', parameter('options.questionsToInclude', []), 'whole');
  const isOn = (label: string, name: string, fallback: boolean) =>
    requireBoolean(label, parameter(`options.${name}`, fallback));
  return {
    output: requireOption('Output', parameter('output', 'row'), ['row', 'simplified', 'raw']),
    answerNames: requireOption('Answer Names', parameter('options.answerNames', 'label'), [
      'label',
      'slug',
      'columnName',
    ]),
    includeSkippedQuestions: isOn('Include Skipped Questions', 'includeSkippedQuestions', true),
    includeCustomColumns: isOn('Include Custom Columns', 'includeCustomColumns', false),
    addText: isOn('Add Text', 'addText', false),
    questionsToInclude: questions.length > 0 ? questions : undefined,
    downloadFiles: isOn('Download Files', 'downloadFiles', false),
    namesForm,
  };
}

/** Whether the form's title and questions are used: raw items without files do without. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
