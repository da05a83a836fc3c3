import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../http/answers.ts';
import type { Context } from '../http/context.ts';
import { bodyOf, isEmail, isObject, queryOf, textField } from '../http/input.ts';
import { paginationOf, readOrder, readPage, reportedTotal } from '../http/paging.ts';
import type { Form, Question } from '../store/types.ts';

/** Lists, creates and shows forms. */
export function formRoutes(app: FastifyInstance, context: Context): void {
  const { workspace, quirks } = context;

  app.get('/forms', async (request) => {
    const query = queryOf(request);
    const order = readOrder(query, quirks);
    const forms = workspace.forms.filter((form) => quirks.ignoreStatus || hasStatus(form, query['status']));
    if (order === 'desc') forms.reverse();
    const page = readPage(query, 'page', quirks);
    const rows = forms.slice(page.offset, page.offset + page.size).map((form) => formBody(form, context));
    if (quirks.noPagination) return { forms: rows };
    const total = reportedTotal(forms.length, rows.length, quirks);
    return { forms: rows, pagination: paginationOf(page, total, quirks), total_count: total };
  });

  app.post('/forms', async (request, reply) => {
    const { form: input } = bodyOf(request);
    if (!isObject(input)) throw new ServiceError(422, 'param is missing or the value is empty: form');
    const title = textField(input, 'title')?.trim() ?? '';
    if (title === '') throw new ServiceError(422, "Title can't be blank");
    const creator = readCreator(textField(input, 'created_by_email'), context);
    const form = workspace.addForm({ title, createdBy: creator, state: 'draft', isPublished: false });
    return reply.code(201).send({ form: formBody(form, context) });
  });

  app.get<{ Params: { formId: string } }>('/forms/:formId', async (request) => {
    const form = findForm(request.params.formId, context);
    return { ...formBody(form, context), questions: form.questions.map(questionBody) };
  });
}

/** The form with this id; a refusal when there is none. */
export function findForm(id: string, { workspace }: Context): Form {
  const form = workspace.form(id);
  if (!form) throw new ServiceError(404, 'Form does not exist.');
  return form;
}

function hasStatus(form: Form, status: string | undefined): boolean {
  if (status === 'active') return !form.isArchived;
  if (status === 'archived') return form.isArchived;
  if (status === 'favorite') return form.isFavorite;
  return true;
}

function readCreator(email: string | undefined, { workspace }: Context): string | undefined {
  if (email === undefined) return undefined;
  if (!isEmail(email)) throw new ServiceError(422, 'created_by_email is not a valid email');
  const member = workspace.team.byEmail(email);
  if (!member?.active) throw new ServiceError(422, 'created_by_email must belong to a member of the workspace');
  return member.email;
}

function formBody(form: Form, { workspace, origin, quirks }: Context): Record<string, unknown> {
  return {
    id: form.id,
    title: form.title,
    is_published: form.isPublished,
    state: form.state,
    created_at: new Date(form.createdAt).toISOString(),
    updated_at: new Date(form.updatedAt).toISOString(),
    submissions_count: quirks.fixedCounts[form.id] ?? workspace.countSubmissions(form.id, quirks.countLagMs),
    attempt_url: `${origin()}/forms/${encodeURIComponent(form.id)}/attempt`,
    is_archived: form.isArchived,
    is_disabled: form.isDisabled,
    is_suspended: form.isSuspended,
    created_by: form.createdBy,
  };
}

function questionBody(question: Question): Record<string, unknown> {
  return {
    id: question.id,
    label: question.label,
    kind: question.kind,
    slug: question.slug,
    position: question.position,
    is_required: question.isRequired,
    is_hidden: question.isHidden,
  };
}
