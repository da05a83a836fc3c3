import { createHash } from 'node:crypto';

import { document } from '../http/document.ts';
import { pageOf, type Operation } from '../http/operation.ts';
import type { Form, Json, Submission } from '../store/types.ts';
import { findForm } from './forms.ts';

/** The browser and the IP address of every respondent: the example in the document. */
const { example: BROWSER } = document.components?.schemas?.['UserAgent'] as { example: Record<string, string> };

export const submissionOperations: Record<string, Operation> = {
  listSubmissions({ params, query }, context) {
    const form = findForm(params, context);
    const { submitted_after: after } = query;
    const visible = context.workspace.visibleSubmissions(form.id, after === undefined ? undefined : Date.parse(after));
    const list = context.quirks.shufflesEqualTimes ? shuffleEqualTimes(visible) : visible;
    if (query.order === 'desc') list.reverse();
    const { rows, totals } = pageOf(list, query.page, query.page_size, context);
    return { submissions: rows.map((row) => submissionBody(row, form)), ...totals };
  },
};

let shuffles = 0;

/** Another order with each call, but the same ones in each process. */
function shuffleEqualTimes(rows: Submission[]): Submission[] {
  const call = ++shuffles;
  const places = new Map(rows.map(({ id }) => [id, createHash('md5').update(`${call} ${id}`).digest('hex')]));
  const placeOf = ({ id }: Submission) => places.get(id) ?? '';
  return rows.sort((a, b) => a.createdAt - b.createdAt || (placeOf(a) < placeOf(b) ? -1 : 1));
}

function submissionBody(row: Submission, form: Form): Record<string, unknown> {
  const created_at = new Date(row.createdAt).toISOString();
  return {
    id: row.id,
    created_at,
    field_values: row.fieldValues,
    user_agent: { ...BROWSER, id: `${row.id}-user-agent`, submission_id: row.id, created_at, updated_at: created_at },
    responses: row.responses ?? responsesOf(row, form),
  };
}

function responsesOf(row: Submission, form: Form): Json[] {
  return form.questions.flatMap(({ label, position, kind, slug }) => {
    const value = Object.hasOwn(row.answers, slug) ? row.answers[slug] : undefined;
    return value === undefined ? [] : [{ id: `${row.id}-${slug}`, label, position, kind, slug, value }];
  });
}
