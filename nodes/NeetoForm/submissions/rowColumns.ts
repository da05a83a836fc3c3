/** The columns of a row, in their order. */

import type { IDataObject } from 'n8n-workflow';
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
): IDataObject {
  return { created_at, ...answers, ...customColumns, ...texts, form_title, form_id, id };
}

/** The names of a row's own columns, which no question may have. `is_sample` stands in front of a sample. */
export function ownColumns({ addText }: { addText: boolean }): string[] {
  const own = [...RESERVED, 'is_sample', 'created_at', 'form_title', 'form_id', 'id'];
  return addText ? [...own, 'text', 'html'] : own;
}
