/** A list that a service shows in pages, for the functions that read it. */

import type { IDataObject } from 'n8n-workflow';
import type { Submission } from '../../nodes/NeetoForm/api/parse';
import { readSubmissionsPage, type Get, type PageAsked } from '../../nodes/NeetoForm/api/service';

export interface Asked {
  order?: 'asc' | 'desc';
  /** ms */
  after?: number;
  page: number;
  pageSize: number;
}

/** What a service shows of its rows, which are in the order of their creation times, when it is asked for a page. */
export function pageOf(rows: Submission[], { order, after = -Infinity, page, pageSize }: Asked) {
  const listed = rows.filter(({ createdMs }) => createdMs >= after);
  if (order === 'desc') listed.reverse();
  return { rows: listed.slice((page - 1) * pageSize, page * pageSize), total: listed.length };
}

interface Answer {
  rows: Submission[];
  pagination: IDataObject;
  /** ms */
  serverTime: number;
}

/** Answers the requests of a list's reader. */
export function pagesFrom(answer: (asked: Asked) => Promise<Answer>) {
  const get: Get = async ({ query = {} }, parse) => {
    const { order, submitted_after: after, page, page_size: pageSize } = query;
    const { rows, pagination, serverTime } = await answer({
      order: order === 'desc' ? 'desc' : 'asc',
      after: typeof after === 'string' ? Date.parse(after) : undefined,
      page: Number(page),
      pageSize: Number(pageSize),
    });
    const submissions = rows.map(({ id, createdMs }) => {
      return { id, created_at: new Date(createdMs).toISOString(), responses: [] };
    });
    return parse({ body: { submissions, pagination }, serverTime });
  };
  return async (asked: PageAsked) => await readSubmissionsPage(get, { id: 'form' }, asked);
}
