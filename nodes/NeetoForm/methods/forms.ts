import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { readForms } from '../lists/wholeLists';
import { oneLine } from '../text';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

/** All forms. Archived and unpublished ones can have submissions, too. */
export const formList: EditorList = {
  readAll: async (get) => await readForms(get, 'desc'),
  namesOf,
  searchText: titleOf,
  urlOf,
};

/** Lists forms, newest first. @param filter words that must all be in the title @throws NodeApiError or UserError when the list cannot be read */
export async function searchForms(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  return { results: toChoices(await readEditorList(this, formList), formList, filter) };
}

/** Lists all forms, for a field without a search. @throws NodeApiError or UserError when the list cannot be read */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { results } = await searchForms.call(this);
  return results.map(({ name, value }) => ({ name, value }));
}

function titleOf({ data: { title } }: Row): string {
  return oneLine(title) || 'Untitled form';
}

/** From the shortest name to one that no other form has. */
function namesOf(form: Row): string[] {
  const { is_archived: isArchived, is_published: isPublished, created_at: createdAt } = form.data;
  const marks = [isArchived === true ? 'archived' : '', isPublished === false ? 'draft' : ''];
  const day = oneLine(createdAt).slice(0, 10);
  const created = day === '' ? '' : `created ${day}`;
  return ['', created, `ID ${form.id}`].map((detail) => withDetails(titleOf(form), [...marks, detail]));
}

function urlOf({ data: { attempt_url: address } }: Row): string | undefined {
  return typeof address === 'string' && /^https?:\/\//.test(address) ? address : undefined;
}
