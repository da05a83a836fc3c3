import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../api/endpoints';
import type { Row } from '../api/parse';
import { hasWords, oneLine, searchWords, textOf } from '../json';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

/** The roles that every workspace has. */
const BUILT_IN_ROLES = ['Admin', 'Standard'];

const list: EditorList = {
  path: TEAM_MEMBERS,
  key: 'team_members',
  // The plain name has the email address, too: two people may have one name, and a user could remove the wrong one.
  namings: [
    (member) => (nameOf(member) === '' ? emailOrId(member) : withDetails(nameOf(member), [emailOrId(member)])),
    (member) => withDetails(nameOf(member) || emailOrId(member), [`ID ${member.id}`]),
  ],
};

/**
 * Lists the active team members. Others are left out, because the service does not find them by their IDs.
 *
 * @param filter words that must all be in the name or the email address (in the ID, if there is none)
 */
export async function searchTeamMembers(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const words = searchWords(filter);
  const members = (await readEditorList(this, list)).filter(({ data }) => data.active !== false);
  return toChoices(members, list, (member) => hasWords(`${nameOf(member)} ${emailOrId(member)}`, words));
}

/** Lists the roles that every workspace has, then those of the members. The service itself has no list of roles. */
export async function getRoles(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const members = await readEditorList(this, list);
  const seen = new Set(members.map(({ data }) => textOf(data.organization_role)));
  const others = [...seen].filter((role) => role !== '' && !BUILT_IN_ROLES.includes(role));
  const roles = [...BUILT_IN_ROLES, ...others.sort((a, b) => a.localeCompare(b, 'en'))];
  return roles.map((role) => ({ name: oneLine(role), value: role }));
}

function nameOf({ data: { first_name: firstName, last_name: lastName } }: Row): string {
  return oneLine(`${oneLine(firstName)} ${oneLine(lastName)}`);
}

function emailOrId({ id, data: { email } }: Row): string {
  return oneLine(email) || id;
}

/** Names of time zones that JavaScript does not list: `UTC`, and those that it lists by an older name. */
const CURRENT_NAMES = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Atikokan',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
  'UTC',
];

/** Lists the names of all time zones, in alphabetical order. It sends no request. */
export async function getTimeZones(): Promise<INodePropertyOptions[]> {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...CURRENT_NAMES]);
  return await Promise.resolve([...names].sort().map((name) => ({ name, value: name })));
}
