import { UserError } from 'n8n-workflow';
import type { Row } from '../api/parse';
import type { Target } from '../api/service';
import { teamMemberLocator } from '../fields/teamMember';
import { isRecord } from '../json';
import { readMembers } from '../lists/wholeLists';
import { idIn, isUuid, locatorValue, requireId } from '../parameters/ids';
import { isEmail, requireEmail } from '../parameters/values';
import type { Operation } from './operation';

const label = teamMemberLocator.displayName;
const about = { what: 'team member', parameter: label } as const;

interface FoundMember extends Target {
  /** Undefined unless the user gave it. */
  email?: string;
}

/**
 * Finds the team member that the parameter names by an ID or an email address.
 *
 * @throws UserError when the value is wrong, or not exactly one active member has the address; what `readMembers` throws
 */
export async function findTeamMember({ get, read }: Operation): Promise<FoundMember> {
  const given = read.value(teamMemberLocator, readLocator);
  if ('id' in given) return { ...about, id: given.id };
  const { email } = given;
  const members = (await readMembers(get, email)).filter((member) => hasEmail(member, email));
  const active = members.filter(({ data }) => data.active !== false);
  if (active.length > 1) {
    const ids = active.map(({ id }) => id).join(', ');
    throw new UserError(`'${label}' names several members: ${ids}`, { description: 'Enter the ID of one of them.' });
  }
  const [member] = active;
  if (member !== undefined) return { ...about, id: member.id, email };
  const isInactive = members.length > 0;
  throw new UserError(`'${label}' is ${isInactive ? 'inactive' : 'not in this workspace'}: ${email}`, {
    description: isInactive
      ? 'Only active team members can be found. Add the address again to reactivate this one.'
      : 'No team member has this email address. Choose one from the list, or enter another address.',
  });
}

/** Whether a team member has an email address. The service's own filter by address is not documented, so its result is compared, too. */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return typeof email === 'string' && email.toLowerCase() === wanted.toLowerCase();
}

/** Reads an ID or an email address: an expression may give either in every mode. The mode decides only if the value looks like neither. */
function readLocator(field: typeof teamMemberLocator, value: unknown): { id: string } | { email: string } {
  const entered = locatorValue(value);
  const isByEmail = isRecord(value) && value.mode === 'email' && !isUuid(idIn(entered));
  if (isByEmail || isEmail(entered)) return { email: requireEmail(field, entered) };
  return { id: requireId(label, value, 'team member') };
}
