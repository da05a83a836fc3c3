/** How submissions become items; the same in node and trigger. */
export interface OutputOptions {
  output: 'simplified' | 'row' | 'raw';
  /** What the answers are named by. */
  answerKey: 'label' | 'slug';
  /** Whether a skipped question is null, so that every item has the same columns. */
  includeSkipped: boolean;
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
 */
export function parseOutputOptions(
  parameter: (path: string, fallback: string | boolean | string[]) => unknown,
  namesForm: boolean,
): OutputOptions {
  const output = parameter('output', 'simplified');
  const questions = parameter('options.questions', []);
  return {
    output: output === 'raw' || output === 'row' ? output : 'simplified',
    answerKey: parameter('options.answerKey', 'label') === 'slug' ? 'slug' : 'label',
    includeSkipped: parameter('options.includeSkipped', true) !== false,
    questions: Array.isArray(questions) && questions.length > 0 ? questions.map(String) : undefined,
    downloadFiles: parameter('options.downloadFiles', false) === true,
    namesForm,
  };
}

/** Whether the form's title and questions are used: raw items without files do without. */
export function needsForm({ output, downloadFiles }: OutputOptions): boolean {
  return output !== 'raw' || downloadFiles;
}
