import { pageOf, refusal, toWire, type Context, type Operation } from '../http/operation.ts';
import type { Form } from '../store/types.ts';

export const formOperations: Record<string, Operation> = {
  listForms({ query }, context) {
    const forms = context.workspace.forms.filter((form) => hasStatus(form, query.status));
    if (query.order === 'desc') forms.reverse();
    const { rows, totals } = pageOf(forms, query.page, query.page_size, context);
    return { forms: rows.map((form) => formBody(form, context)), ...totals };
  },

  createForm({ body }, context) {
    const { title, created_by_email: email } = (body as { form: { title: string; created_by_email?: string } }).form;
    const draft = { title: title.trim(), state: 'draft', isPublished: false };
    return { form: formBody(context.workspace.addForm({ ...draft, ...(email && { createdBy: email }) }), context) };
  },

  getForm({ params }, context) {
    const form = findForm(params, context);
    const questions = form.questions.map(({ options: _options, ...question }) => toWire(question));
    return { ...formBody(form, context), questions };
  },
};

/** The form that a path names. @throws Error with the status 404 when there is none */
export function findForm({ form_id: id = '' }: Record<string, string>, { workspace }: Context): Form {
  const form = workspace.form(id);
  if (!form) throw refusal(404, 'Form does not exist.');
  return form;
}

function hasStatus(form: Form, status: string | undefined): boolean {
  if (status === 'active') return !form.isArchived;
  if (status === 'archived') return form.isArchived;
  return status !== 'favorite' || form.isFavorite;
}

function formBody(form: Form, { workspace, url }: Context): Record<string, unknown> {
  const { isFavorite: _isFavorite, questions: _questions, ...shown } = form;
  return {
    ...toWire(shown),
    is_disabled: false,
    is_suspended: false,
    submissions_count: workspace.visibleSubmissions(form.id).length,
    attempt_url: `${url}/forms/${encodeURIComponent(form.id)}/attempt`,
  };
}
