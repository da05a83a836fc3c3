import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { FORMS } from '../api/endpoints';
import type { Row } from '../api/parse';
import { hasWords, oneLine, wordsOf } from '../json';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

/** Archived and unpublished forms are in it, for they can have submissions. */
const list: EditorList = {
  path: FORMS,
  key: 'forms',
  order: 'desc',
  namings: [
    (form) => withDetails(titleOf(form), marksOf(form)),
    (form) => withDetails(titleOf(form), [...marksOf(form), createdOf(form)]),
    (form) => withDetails(titleOf(form), [...marksOf(form), `ID ${form.id}`]),
  ],
  urlOf: addressOf,
};

/** The workspace's forms for a form field's list, newest first. @param filter words that must all be in the title */
export async function searchForms(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const words = wordsOf(filter);
  return toChoices(await readEditorList(this, list), list, (form) => hasWords(titleOf(form), words));
}

/** The same forms for a field that takes several: n8n fills such a list in one piece. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { results } = toChoices(await readEditorList(this, list), list, () => true);
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

function addressOf({ data: { attempt_url: address } }: Row): string | undefined {
  return typeof address === 'string' && /^https?:\/\//.test(address) ? address : undefined;
}
