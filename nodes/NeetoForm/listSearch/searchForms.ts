import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { FORMS } from '../api/endpoints';
import type { Row } from '../api/types';
import { textOf } from '../json';
import { askForPart } from './ask';

/** The workspace's forms for the form field's list, newest first. */
export async function searchForms(
  this: ILoadOptionsFunctions,
  filter = '',
  token?: string,
): Promise<INodeListSearchResult> {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const list = {
    path: FORMS,
    key: 'forms',
    pageParameter: 'page',
    query: { order: 'desc' },
    subject: { what: 'forms' },
  } as const;
  const { rows, paginationToken } = await askForPart(
    this,
    list,
    (form) => words.every((word) => textOf(form.title).toLocaleLowerCase().includes(word)),
    token,
  );
  return { results: rows.map((form) => ({ name: nameOf(form), value: form.id, url: linkOf(form) })), paginationToken };
}

/** The title, and what tells two forms of one title apart. */
function nameOf(form: Row): string {
  const created = textOf(form.created_at).slice(0, 10);
  const details = [form.is_archived === true ? 'archived' : '', created === '' ? '' : `created ${created}`].filter(
    (detail) => detail !== '',
  );
  return `${textOf(form.title) || 'Untitled form'} (${details.join(', ') || form.id})`;
}

function linkOf({ attempt_url: address }: Row): string | undefined {
  return /^https?:\/\//.test(textOf(address)) ? textOf(address) : undefined;
}
