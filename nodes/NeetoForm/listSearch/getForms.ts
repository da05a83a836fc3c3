import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { searchForms } from './searchForms';

/** All of the workspace's forms, newest first, for a field where several are picked: n8n shows such a list in one piece. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const options: INodePropertyOptions[] = [];
  let token: string | undefined;
  do {
    const { results, paginationToken } = await searchForms.call(this, '', token);
    for (const { name, value } of results) options.push({ name, value });
    token = typeof paginationToken === 'string' ? paginationToken : undefined;
  } while (token !== undefined);
  return options;
}
