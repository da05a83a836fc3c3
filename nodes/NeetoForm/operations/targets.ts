import type { INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { readCompletely } from '../api/completeList';
import { pageQuery, TEAM_MEMBERS } from '../api/endpoints';
import type { Subject } from '../api/messages';
import { parsePage, type Row } from '../api/parse';
import { formLocator } from '../fields/formLocator';
import type { FieldReader } from '../parameters/reader';
import { teamMemberLocator } from '../fields/teamMember';
import { idIn, isUuid, locatorValue, requireId } from '../parameters/ids';
import { isRecord, textOf } from '../json';
import { isEmail, requireEmail } from '../parameters/values';
import type { Execution } from './execution';
import { findForm } from './findForm';
import type { Get, Target } from './operation';

type Find = (value: unknown, get: Get, execution: Execution) => Promise<Target>;

/** How the parameter of a target is read, by the name that routes have in braces. */
const TARGETS: Record<string, { what: Subject['what']; field: INodeProperties; find: Find }> = {
  formId: { what: 'form', field: formLocator, find: findForm },
  teamMemberId: { what: 'team member', field: teamMemberLocator, find: findTeamMember },
};

/**
 * Finds what a route names, and fills it in.
 *
 * @param route the path of the route, with at most one name in braces
 * @returns the target, the path with its ID, and what errors of requests to it are about
 * @throws UserError when the parameter holds no ID, nobody has the address, or several forms have the title
 */
export async function findTarget(
  route: string,
  read: FieldReader,
  get: Get,
  execution: Execution,
): Promise<{ target: Target; path: string; about: Subject }> {
  const name = /\{(\w+)\}/.exec(route)?.[1] ?? '';
  const known = TARGETS[name];
  if (known === undefined) return { target: { id: '' }, path: route, about: {} };
  const { what, field, find } = known;
  const target = await find(read.value(field), get, execution);
  const path = route.replace(`{${name}}`, () => encodeURIComponent(target.id));
  return { target, path, about: { what, id: target.id, parameter: field.displayName, hint: target.hint } };
}

/** Whether a team member has an address, in any case. */
export function hasEmail({ data }: Row, wanted: string): boolean {
  return textOf(data.email).toLowerCase() === wanted.toLowerCase();
}

/** A team member by ID or address: what is plainly an ID is one in every mode. */
async function findTeamMember(value: unknown, get: Get): Promise<Target> {
  const label = teamMemberLocator.displayName;
  const entered = locatorValue(value);
  const isByEmail = isRecord(value) && value.mode === 'email' && !isUuid(idIn(entered));
  if (!isByEmail && !isEmail(entered)) return { id: requireId(label, value, 'team member') };
  const email = requireEmail(label, entered);
  return { id: await idOfActiveMember(label, email, get), email };
}

/** The addresses are compared here too: a service that ignores the filter lists everyone. */
async function idOfActiveMember(label: string, email: string, get: Get): Promise<string> {
  const readPage = async (page: number) =>
    await get(TEAM_MEMBERS, { email, ...pageQuery('team_members', page) }, (response) =>
      parsePage(response, 'team_members'),
    );
  const pick = (row: Row) => (hasEmail(row, email) ? row : undefined);
  const members = await readCompletely({ readPage, pick, isFiltered: true });
  const active = members.find(({ data }) => data.active !== false);
  if (active !== undefined) return active.id;
  const isInactive = members.length > 0;
  throw new UserError(`'${label}' is ${isInactive ? 'inactive' : 'not in this workspace'}: ${email}`, {
    description: isInactive
      ? 'Only active team members can be found. Add the address again to reactivate this one.'
      : 'No team member has this email address. Choose one from the list, or enter another address.',
  });
}
