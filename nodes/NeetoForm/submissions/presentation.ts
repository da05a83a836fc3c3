import type { AnswerKey } from './columns';

/** How a submission is handed out (`output`, in node and trigger alike). */
export type Output = 'simplified' | 'answers' | 'raw';

export interface Presentation {
  output: Output;
  answerKey: AnswerKey;
  /** A question that was skipped gives null, so that every item has the same columns. */
  includeSkipped: boolean;
  /** Whether every item says its form, for they may be of several. */
  namesForm?: boolean;
  /** The files in the answers become binary data, named by their questions. */
  downloadFiles: boolean;
}

/**
 * Reads the parameters that node and trigger share.
 *
 * @param parameter gives a parameter's value by its path, or the fallback
 */
export function presentationOf(parameter: (path: string, fallback: string | boolean) => unknown): Presentation {
  const output = parameter('output', 'simplified');
  return {
    output: output === 'raw' || output === 'answers' ? output : 'simplified',
    answerKey: parameter('options.answerKey', 'label') === 'slug' ? 'slug' : 'label',
    includeSkipped: parameter('options.includeSkipped', false) === true,
    downloadFiles: parameter('options.downloadFiles', false) === true,
  };
}
