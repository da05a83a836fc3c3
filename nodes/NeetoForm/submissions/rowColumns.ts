/** The columns of a row, in their order. */

import type { IDataObject } from 'n8n-workflow';
import type { OutputOptions } from './outputOptions';
import { RESERVED } from './uniqueNames';

/** What identifies a submission and its form. */
export interface About extends IDataObject {
  id: IDataObject[string];
  created_at: IDataObject[string];
  form_id: string;
  form_title: string | null;
}

/**
 * A row begins with the time and ends with what only machines read.
 *
 * @param answers in the order of the form
 * @param customColumns none, unless they are included
 * @param texts what Add Text adds
 */
export function toRow(
  { id, created_at, form_id, form_title }: About,
  answers: IDataObject,
  customColumns: IDataObject,
  texts: IDataObject,
  { includeFormAndIds }: Pick<OutputOptions, 'includeFormAndIds'>,
): IDataObject {
  const formAndIds = includeFormAndIds ? { form_title, form_id, submission_id: id } : {};
  return { created_at, ...answers, ...customColumns, ...texts, ...formAndIds };
}

/**
 * Names that no question has in a row, whether or not Include Form and IDs is on. `is_sample` stands in front of a sample,
 * `files_not_downloaded` comes with files, and n8n's data tables replace what is called `id` by an ID of their own.
 */
export function ownColumns({ addText }: Pick<OutputOptions, 'addText'>): string[] {
  const own = ['is_sample', 'created_at', 'form_title', 'form_id', 'submission_id', 'files_not_downloaded', 'id'];
  return [...RESERVED, ...own, ...(addText ? ['text', 'html'] : [])];
}
