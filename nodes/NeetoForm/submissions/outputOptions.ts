import { listOfTexts, requireBoolean, requireOption } from '../parameters';

/** How submissions become items; the same in node and trigger. */
export interface OutputOptions {
  output: 'simplified' | 'row' | 'raw';
  /** What the answers are named by. */
  answerNames: 'label' | 'slug';
  /** Whether a skipped question is null, so that every item has the same columns. */
  includeSkippedQuestions: boolean;
  /** Slugs of the questions to return; undefined returns all. */
  questions?: string[];
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
  const questions = listOfTexts('Questions to Include', parameter('options.questionsToInclude', []));
  return {
    output: requireOption('Output', parameter('output', 'simplified'), ['simplified', 'row', 'raw']),
    answerNames: requireOption('Answer Names', parameter('options.answerNames', 'label'), ['label', 'slug']),
    includeSkippedQuestions: requireBoolean(
      'Include Skipped Questions',
      parameter('options.includeSkippedQuestions', true),
    ),
    questions: questions.length > 0 ? questions : undefined,
    downloadFiles: requireBoolean('Download Files', parameter('options.downloadFiles', false)),
    namesForm,
  };
}

/** Whether the form's title and questions are used: raw items without files do without. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
