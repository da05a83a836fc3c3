import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { FORMS } from '../api/endpoints';
import type { Row } from '../api/parse';
import { hasWords, oneLine, searchWords } from '../json';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

/** The list of forms. Archived and unpublished forms are in it, because they can have submissions. */
export const formList: EditorList = {
  path: FORMS,
  key: 'forms',
  order: 'desc',
  namings: [
    (form) => withDetails(titleOf(form), marksOf(form)),
    (form) => withDetails(titleOf(form), [...marksOf(form), createdOf(form)]),
    (form) => withDetails(titleOf(form), [...marksOf(form), `ID ${form.id}`]),
  ],
  urlOf: pageOf,
};

/**
 * Lists the workspace's forms for a field, the newest first.
 *
 * @param filter words that must all be in the title
 * @throws NodeApiError or UserError when the list cannot be read
 */
export async function searchForms(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const words = searchWords(filter);
  return toChoices(await readEditorList(this, formList), formList, (form) => hasWords(titleOf(form), words));
}

/** Lists the same forms for a field that takes several of them. n8n does not search such a list, but fills it at once. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { results } = toChoices(await readEditorList(this, formList), formList, () => true);
  return results.map(({ name, value }) => ({ name, value }));
}

function titleOf({ data: { title } }: Row): string {
  return oneLine(title) || 'Untitled form';
}

function marksOf({ data: { is_archived: isArchived, is_published: isPublished } }: Row): string[] {
  return [isArchived === true ? 'archived' : '', isPublished === false ? 'draft' : ''];
}

function createdOf({ data: { created_at: createdAt } }: Row): string {
  const day = oneLine(createdAt).slice(0, 10);
  return day === '' ? '' : `created ${day}`;
}

/** The address of the form's page, which n8n links to. */
function pageOf({ data: { attempt_url: address } }: Row): string | undefined {
  return typeof address === 'string' && /^https?:\/\//.test(address) ? address : undefined;
}
