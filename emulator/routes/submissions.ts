import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../http/answers.ts';
import type { Context } from '../http/context.ts';
import { queryOf } from '../http/input.ts';
import { paginationOf, readOrder, readPage, reportedTotal } from '../http/paging.ts';
import type { Quirks } from '../http/quirks.ts';
import { createRandom, uuidFrom } from '../random.ts';
import { parseTimestamp } from '../store/timestamps.ts';
import type { Form, Json, Submission } from '../store/types.ts';
import { userAgentBody } from './userAgent.ts';
import { findForm } from './forms.ts';

/** Lists the submissions of a form. */
export function submissionRoutes(app: FastifyInstance, context: Context): void {
  const { workspace, quirks } = context;
  const tieOrder = createRandom(1);

  app.get<{ Params: { formId: string } }>('/forms/:formId/submissions', async (request) => {
    const form = findForm(request.params.formId, context);
    const query = queryOf(request);
    const page = readPage(query, 'page', quirks);
    const { rows, total } = workspace.selectSubmissions(form.id, {
      after: readSubmittedAfter(query['submitted_after'], quirks),
      order: readOrder(query, quirks),
      offset: page.offset,
      limit: page.size,
      tieOrder: quirks.randomTieOrder ? tieOrder : undefined,
    });
    const submissions = rows.map((row) => submissionBody(row, form));
    if (quirks.noPagination) return { submissions };
    const reported = reportedTotal(total, rows.length, quirks);
    return { submissions, pagination: paginationOf(page, reported, quirks), total_count: reported };
  });
}

function readSubmittedAfter(text: string | undefined, quirks: Quirks): number | undefined {
  if (text === undefined || quirks.ignoreSubmittedAfter) return undefined;
  const micros = parseTimestamp(text);
  if (micros === undefined) {
    throw new ServiceError(422, 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.');
  }
  const rounding = quirks.roundSubmittedAfter;
  if (!rounding) return micros;
  const unit = rounding.to === 'second' ? 1_000_000 : 60_000_000;
  return (rounding.direction === 'up' ? Math.ceil(micros / unit) : Math.floor(micros / unit)) * unit;
}

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
    return [{ id: uuidFrom(`${row.id}/${slug}`), label, position, kind, slug, value }];
  });
}
