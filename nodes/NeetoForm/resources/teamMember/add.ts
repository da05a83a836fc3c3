import type { INodeProperties } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { additionalFieldsOf } from '../../fields/collections';
import { emailsField, organizationRoleField } from '../../fields/teamMember';
import { single } from '../../operations/single';
import type { OperationDescription } from '../describeResource';

const invitedByField: INodeProperties = {
  displayName: 'Invited By',
  name: 'invitedBy',
  type: 'string',
  default: '',
  placeholder: 'e.g. admin@example.com',
  description: 'Email address of the admin who sends the invitation. The most recent workspace admin if not set.',
};

const sendInvitationField: INodeProperties = {
  displayName: 'Send Invitation Email',
  name: 'sendInvitationEmail',
  type: 'boolean',
  default: true,
  description: 'Whether to send invitation emails to the new team members (default: on)',
};

export const addTeamMembers: OperationDescription = {
  option: {
    name: 'Add',
    value: 'add',
    action: 'Add team members',
    description: 'Add one or several people to the workspace',
  },
  route: { method: 'POST', url: TEAM_MEMBERS },
  run: single({
    request: (read) => {
      const fields = read.optional('additionalFields', 'refuse expressions');
      return {
        body: {
          emails: read.emails(emailsField),
          organization_role: fields.text(organizationRoleField),
          invited_by: fields.email(invitedByField),
          send_invitation_email: fields.boolean(sendInvitationField)?.toString(),
        },
      };
    },
    item: (response, { body: { emails } }) => ({ ...parseMessage(response), emails }),
  }),
  fields: [emailsField, additionalFieldsOf([invitedByField, organizationRoleField, sendInvitationField])],
};
