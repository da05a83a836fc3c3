import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { FORMS } from '../api/endpoints';
import type { Row } from '../api/parse';
import { hasWords, oneLine, searchWords } from '../json';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

/** All forms. Archived and unpublished ones can have submissions, too. */
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

/** Lists forms, newest first. @param filter words that must all be in the title @throws NodeApiError or UserError when the list cannot be read */
export async function searchForms(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const words = searchWords(filter);
  const forms = await readEditorList(this, formList);
  return { results: toChoices(forms, formList, (form) => hasWords(titleOf(form), words)) };
}

/** Lists all forms, for a field without a search. @throws NodeApiError or UserError when the list cannot be read */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const choices = toChoices(await readEditorList(this, formList), formList, () => true);
  return choices.map(({ name, value }) => ({ name, value }));
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

function pageOf({ data: { attempt_url: address } }: Row): string | undefined {
  return typeof address === 'string' && /^https?:\/\//.test(address) ? address : undefined;
}
