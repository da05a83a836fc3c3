import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../api/endpoints';
import type { Row } from '../api/parse';
import { hasWords, oneLine, wordsOf } from '../json';
import { readEditorList, toChoices, withDetails, type EditorList } from './editorList';

/** The roles that every workspace has. */
const BUILT_IN_ROLES = ['Admin', 'Standard'];

const list: EditorList = {
  path: TEAM_MEMBERS,
  key: 'team_members',
  // Always with the address: two people may have one name, and the wrong one is removed easily.
  namings: [
    (member) => (nameOf(member) === '' ? addressOf(member) : withDetails(nameOf(member), [addressOf(member)])),
    (member) => withDetails(nameOf(member) || addressOf(member), [`ID ${member.id}`]),
  ],
};

/** The workspace's active team members: the service finds no other by ID. @param filter words, all in the name or the address */
export async function searchTeamMembers(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const words = wordsOf(filter);
  const members = (await readEditorList(this, list)).filter(({ data }) => data.active !== false);
  return toChoices(members, list, (member) => hasWords(`${nameOf(member)} ${addressOf(member)}`, words));
}

/** The roles that every workspace has, then those of the workspace's members: the service has no list of roles. */
export async function getRoles(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const members = await readEditorList(this, list);
  const seen = new Set(members.map(({ data }) => oneLine(data.organization_role)));
  const others = [...seen].filter((role) => role !== '' && !BUILT_IN_ROLES.includes(role));
  const names = [...BUILT_IN_ROLES, ...others.sort((a, b) => a.localeCompare(b, 'en'))];
  return names.map((name) => ({ name, value: name }));
}

function nameOf({ data: { first_name: firstName, last_name: lastName } }: Row): string {
  return oneLine(`${oneLine(firstName)} ${oneLine(lastName)}`);
}

function addressOf({ id, data: { email } }: Row): string {
  return oneLine(email) || id;
}

/** Names in use today for zones that JavaScript lists by an older name only. */
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

/** The names of all time zones, in alphabetical order; sends no request. */
export async function getTimeZones(): Promise<INodePropertyOptions[]> {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...CURRENT_NAMES]);
  return await Promise.resolve([...names].sort().map((name) => ({ name, value: name })));
}
