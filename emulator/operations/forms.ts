import { ServiceError, type Context, type Operation } from '../http/operation.ts';
import { readOrder, readPage, totalsOf } from '../http/paging.ts';
import type { Form, Question } from '../store/types.ts';

/** The operations on forms. */
export const formOperations: Record<string, Operation> = {
  listForms({ query }, context) {
    const { workspace, quirks } = context;
    const forms = workspace.forms.filter((form) => hasStatus(form, query['status']));
    if (readOrder(query, quirks) === 'desc') forms.reverse();
    const page = readPage(query, 'page', quirks);
    const rows = forms.slice(page.offset, page.offset + page.size).map((form) => formBody(form, context));
    const { total_count, pagination } = totalsOf(page, forms.length, rows.length, quirks);
    return { forms: rows, pagination, total_count };
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
    return { ...formBody(form, context), questions: form.questions.map(questionBody) };
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

function formBody(form: Form, { workspace, url, quirks }: Context): Record<string, unknown> {
  return {
    id: form.id,
    title: form.title,
    is_published: form.isPublished,
    state: form.state,
    created_at: new Date(form.createdAt).toISOString(),
    updated_at: new Date(form.updatedAt).toISOString(),
    submissions_count: quirks.fixedCounts[form.id] ?? workspace.log(form.id).count(quirks.countLagMs),
    attempt_url: `${url}/forms/${encodeURIComponent(form.id)}/attempt`,
    is_archived: form.isArchived,
    is_disabled: form.isDisabled,
    is_suspended: form.isSuspended,
    created_by: form.createdBy,
  };
}

function questionBody({ id, label, kind, slug, position, isRequired, isHidden }: Question): Record<string, unknown> {
  return { id, label, kind, slug, position, is_required: isRequired, is_hidden: isHidden };
}
