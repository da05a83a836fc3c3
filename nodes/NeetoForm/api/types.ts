import type { IDataObject } from 'n8n-workflow';

/** One row of a list: a form, a submission or a team member. Only what this package relies on is named. */
export type Row = IDataObject & { id: string };

export type Submission = Row & { created_at: string };

/** One page of a list. */
export interface Page<T extends Row = Row> {
  rows: T[];
  /** How many rows the whole list holds. Undefined when the service does not say. */
  total?: number;
  /** How many pages the list has. Undefined when the service does not say. */
  totalPages?: number;
  /** How many rows a full page holds. Undefined when the service does not say. */
  pageSize?: number;
  /** ms, the service's clock at its response, to the second. Undefined when it does not say. */
  serverTime?: number;
}

/** A question of a form. `slug` joins it to the answers. */
export interface Question {
  slug: string;
  label: string;
  position: number;
}
