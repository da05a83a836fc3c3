import { readPage, ServiceError, totalsOf, toWire, type Context, type Operation } from '../http/operation.ts';
import type { Form } from '../store/types.ts';

/** The operations on forms. */
export const formOperations: Record<string, Operation> = {
  listForms({ query }, context) {
    const forms = context.workspace.forms.filter((form) => hasStatus(form, query['status']));
    if (query['order'] === 'desc') forms.reverse();
    const page = readPage(query, 'page', context);
    const rows = forms.slice(page.offset, page.offset + page.size).map((form) => formBody(form, context));
    return { forms: rows, ...totalsOf(page, forms.length) };
  },

  createForm({ body }, context) {
    const { title, created_by_email: email } = (body as NewForm).form;
    const form = context.workspace.addForm({
      title: title.trim(),
      createdBy: email,
      state: 'draft',
      isPublished: false,
    });
    return { form: formBody(form, context) };
  },

  getForm({ params }, context) {
    const form = findForm(params, context);
    const questions = form.questions.map(({ options: _options, ...question }) => toWire(question));
    return { ...formBody(form, context), questions };
  },
};

interface NewForm {
  form: { title: string; created_by_email?: string };
}

/** The form that a path names; throws a 404 when there is none. */
export function findForm({ form_id: id = '' }: Record<string, string>, { workspace }: Context): Form {
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

function formBody(form: Form, { workspace, url }: Context): Record<string, unknown> {
  const { isFavorite: _isFavorite, questions: _questions, ...shown } = form;
  return {
    ...toWire(shown),
    is_disabled: false,
    is_suspended: false,
    submissions_count: workspace.log(form.id).count,
    attempt_url: `${url}/forms/${encodeURIComponent(form.id)}/attempt`,
  };
}
