import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { textOf } from '../json';
import { readMembers } from '../lists/wholeLists';
import { oneLine } from '../text';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

const BUILT_IN_ROLES = ['Admin', 'Standard'];

const list: EditorList = {
  readAll: async (get) => await readMembers(get),
  // With the name alone, a user could remove another person of the same name.
  namesOf: (member) => [
    nameOf(member) === '' ? emailOrId(member) : withDetails(nameOf(member), [emailOrId(member)]),
    withDetails(nameOf(member) || emailOrId(member), [`ID ${member.id}`]),
  ],
  searchText: (member) => `${nameOf(member)} ${emailOrId(member)}`,
};

/** Lists active team members. @param filter words that must all be in the name or email @throws NodeApiError or UserError when it fails */
export async function searchTeamMembers(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const members = await readEditorList(this, list);
  // The service does not find inactive members by their IDs.
  const active = members.filter(({ data }) => data.active !== false);
  return { results: toChoices(active, list, filter) };
}

/** Lists the built-in roles, then others that members have: the service has no list. @throws NodeApiError or UserError when reading fails */
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

/** Time zones that JavaScript lists by an older name, and `UTC`, which it does not list. */
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

/** Lists all time zones. */
export async function getTimeZones(): Promise<INodePropertyOptions[]> {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...CURRENT_NAMES]);
  return await Promise.resolve([...names].sort().map((name) => ({ name, value: name })));
}
