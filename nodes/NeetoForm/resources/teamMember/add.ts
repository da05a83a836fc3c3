import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import type { Operation } from '../../execution/operation';
import { additionalFieldsOf, textField } from '../../fields/shapes';
import { emailsField, organizationRoleField } from '../../fields/teamMember';
import { readMembers } from '../../lists/wholeLists';
import { requireBoolean, requireEmail, requireEmails, requireTrimmedText } from '../../parameters/values';
import { comparable } from '../../text';
import type { OperationDescription } from '../describeResource';

const invitedByField = textField(
  'Invited By',
  'invitedBy',
  'admin@example.com',
  'Email address of the admin who sends the invitation. The most recent workspace admin if not set.',
);

const sendInvitationField: INodeProperties = {
  displayName: 'Send Invitation Email',
  name: 'sendInvitationEmail',
  type: 'boolean',
  default: true,
  description: 'Whether to send invitation emails to the new team members (default: on)',
};

const USE_UPDATE = 'To change the role of a member, use Update.';

export const addTeamMembers: OperationDescription = {
  name: 'Add',
  value: 'add',
  action: 'Add team members',
  description:
    'Add one or several people to the workspace. Active members are left as they are; removed ones come back.',
  route: { method: 'POST', url: TEAM_MEMBERS },
  fields: [emailsField, additionalFieldsOf([invitedByField, organizationRoleField, sendInvitationField])],
  run: async (operation) => {
    const { read, execution } = operation;
    const given = read.value(emailsField, requireEmails);
    const fields = read.within('additionalFields');
    const others = {
      organization_role: fields.optional(organizationRoleField, requireTrimmedText),
      invited_by: fields.optional(invitedByField, requireEmail),
      // The service takes 'true' or 'false' as a text.
      send_invitation_email: fields.optional(sendInvitationField, requireBoolean)?.toString(),
    };
    // n8n starts all input items at once, and two of them may name the same person.
    return await execution.addQueue.run(async () => await add(operation, given, others));
  },
};

/**
 * Adds only people who are not active members: the service would overwrite the role of an active one. So that no active member is overlooked,
 * addresses are compared more loosely here than in `hasEmail`.
 */
async function add(operation: Operation, given: string[], others: IDataObject): Promise<INodeExecutionData[]> {
  const members = await readMembers(operation.get);
  const active = new Set(members.filter(({ data }) => data.active !== false).map(({ data }) => comparable(data.email)));
  const alreadyMembers = given.filter((email) => active.has(comparable(email)));
  const emails = given.filter((email) => !active.has(comparable(email)));
  if (emails.length === 0) {
    const message = `Nobody was added: all are members already. ${USE_UPDATE}`;
    return [{ json: { message, emails, already_members: alreadyMembers } }];
  }
  const said = await operation.send({ body: { emails, ...others } }, parseMessage);
  const message = alreadyMembers.length === 0 ? said : `${said} Others are members already. ${USE_UPDATE}`;
  return [{ json: { message, emails, already_members: alreadyMembers } }];
}
