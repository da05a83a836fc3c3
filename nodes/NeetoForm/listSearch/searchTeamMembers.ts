import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../api/endpoints';
import type { Row } from '../api/types';
import { textOf } from '../json';
import { askForPart } from './ask';

/** The workspace's team members for the team member field's list. */
export async function searchTeamMembers(
  this: ILoadOptionsFunctions,
  filter = '',
  token?: string,
): Promise<INodeListSearchResult> {
  const wanted = filter.trim().toLocaleLowerCase();
  const list = {
    path: TEAM_MEMBERS,
    key: 'team_members',
    pageParameter: 'page_number',
    subject: { what: 'team members' },
  } as const;
  const { rows, paginationToken } = await askForPart(
    this,
    list,
    (member) => nameOf(member).toLocaleLowerCase().includes(wanted),
    token,
  );
  return { results: rows.map((member) => ({ name: nameOf(member), value: member.id })), paginationToken };
}

/** The name, and the address that tells two of one name apart. */
function nameOf(member: Row): string {
  const name = [textOf(member.first_name), textOf(member.last_name)].filter((part) => part !== '').join(' ');
  const address = textOf(member.email) || member.id;
  return `${name === '' ? address : `${name} (${address})`}${member.active === false ? ', inactive' : ''}`;
}
