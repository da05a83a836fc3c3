import type { IDataObject } from 'n8n-workflow';

import { parseOutputOptions, type OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import { FieldReader } from '../../nodes/NeetoForm/parameters/reader';
import { createExtractor } from '../../nodes/NeetoForm/submissions/extract';
import type { FormDetails, Question } from '../../nodes/NeetoForm/submissions/questions';
import { toItems, type ItemData } from '../../nodes/NeetoForm/submissions/toItems';

const node = { id: '', name: 'Node', type: '', typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };

/** Options as *Submission > Get Many* reads them, when these parameters are set: `{ 'options.addText': true }`. */
export function parsedOptions(set: Record<string, unknown> = {}): OutputOptions {
  const getNodeParameter = (path: string, fallback: unknown) => set[path] ?? fallback;
  const read = new FieldReader({ getNode: () => node, getTimezone: () => 'UTC', getNodeParameter });
  return parseOutputOptions(read, { addFormIdToRaw: false, refuseUnknownQuestions: true });
}

/** Options as a user leaves them, but for some. */
export const optionsOf = (over: Partial<OutputOptions> = {}): OutputOptions => ({ ...parsedOptions(), ...over });

/** A form with these questions. */
export const formOf = (questions: Question[]): FormDetails => ({ title: 'Form', questions });

/** The items of submissions of a form; without its details where these cannot be read. */
export function itemsOf(submissions: IDataObject[], options: OutputOptions, form?: FormDetails): ItemData[] {
  return toItems(submissions.map(createExtractor(options)), form, 'form-1', options);
}
