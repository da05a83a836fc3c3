import { UserError } from 'n8n-workflow';
import { teamMemberLocator } from '../fields/teamMember';
import { isRecord } from '../json';
import { idIn, isUuid, locatorValue, requireId } from '../parameters/ids';
import { isEmail, requireEmail } from '../parameters/values';
import type { Operation, Target } from './operation';
import { hasEmail, readMembers } from './rows';

const label = teamMemberLocator.displayName;
const about = { what: 'team member', parameter: label } as const;

/**
 * Finds the team member that the parameter names by an ID or an email address.
 *
 * @throws UserError when the value is wrong, or not exactly one active member has the address; what `readRows` throws
 */
export async function findTeamMember(operation: Operation): Promise<Target> {
  const given = operation.read.value(teamMemberLocator, readLocator);
  if ('id' in given) return { ...about, id: given.id };
  const { email } = given;
  const members = (await readMembers(operation, { email })).filter((member) => hasEmail(member, email));
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

/** An expression may give an ID or an email address in every mode of the parameter. So the value decides, not only the mode. */
function readLocator(field: typeof teamMemberLocator, value: unknown): { id: string } | { email: string } {
  const entered = locatorValue(value);
  const isByEmail = isRecord(value) && value.mode === 'email' && !isUuid(idIn(entered));
  if (isByEmail || isEmail(entered)) return { email: requireEmail(field, entered) };
  return { id: requireId(label, value, 'team member') };
}
