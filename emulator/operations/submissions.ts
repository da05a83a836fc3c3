import { readPage, totalsOf, type Operation } from '../http/operation.ts';
import { parseTimestamp } from '../store/timestamps.ts';
import type { Form, Json, Submission } from '../store/types.ts';
import { findForm } from './forms.ts';

/** The operations on submissions. */
export const submissionOperations: Record<string, Operation> = {
  listSubmissions({ params, query }, context) {
    const form = findForm(params, context);
    const page = readPage(query, 'page', context);
    const { rows, total } = context.workspace.log(form.id).select({
      after: parseTimestamp(query['submitted_after'] ?? ''),
      order: query['order'] === 'desc' ? 'desc' : 'asc',
      offset: page.offset,
      limit: page.size,
    });
    return { submissions: rows.map((row) => submissionBody(row, form)), ...totalsOf(page, total) };
  },
};

function submissionBody(row: Submission, form: Form): Record<string, unknown> {
  return {
    id: row.id,
    created_at: row.createdAt,
    field_values: row.fieldValues,
    user_agent: userAgentBody(row),
    responses: row.responses ?? responsesOf(row, form),
  };
}

function responsesOf(row: Submission, form: Form): Json[] {
  return form.questions.flatMap(({ label, position, kind, slug }) => {
    const value = Object.hasOwn(row.answers, slug) ? row.answers[slug] : undefined;
    if (value === undefined) return [];
    return [{ id: `${row.id}-${slug}`, label, position, kind, slug, value }];
  });
}

/** The browser and the IP address of a respondent: made up. */
function userAgentBody({ id, createdAt }: Submission): Record<string, string> {
  return {
    id: `${id}-user-agent`,
    name: 'Safari',
    version: '17.5',
    device_name: 'iPhone',
    device_type: 'mobile',
    operating_system: 'iOS',
    operating_system_version: '17.5.1',
    // 203.0.113.0/24 is reserved for documentation: nobody's address.
    ip_address: '203.0.113.7',
    submission_id: id,
    created_at: createdAt,
    updated_at: createdAt,
  };
}
