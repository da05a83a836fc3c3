import { TEAM_MEMBERS } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { emailsField, organizationRoleField } from '../../fields/teamMember';
import { single } from '../../operations/single';
import { optionalEmail, optionalText, requireBoolean, requireEmails } from '../../parameters';
import type { OperationDescription } from '../describeResource';

export const addTeamMembers: OperationDescription = {
  option: {
    name: 'Add',
    value: 'add',
    action: 'Add team members',
    description: 'Add one or several people to the workspace',
    routing: {
      request: { method: 'POST', url: TEAM_MEMBERS },
      operations: {
        pagination: single({
          request: ({ parameter }) => {
            const role = optionalText('Organization Role', parameter('additionalFields.organizationRole'))?.trim();
            const invitedBy = optionalEmail('Invited By', parameter('additionalFields.invitedBy'));
            const isInvited = parameter('additionalFields.sendInvitationEmail') ?? undefined;
            return {
              body: {
                emails: requireEmails('Emails', parameter('emails')),
                ...(role && { organization_role: role }),
                ...(invitedBy !== undefined && { invited_by: invitedBy }),
                ...(isInvited !== undefined && {
                  send_invitation_email: String(requireBoolean('Send Invitation Email', isInvited)),
                }),
              },
            };
          },
          item: (body, { body: { emails } }) => ({ ...parseMessage(body), emails }),
        }),
      },
    },
  },
  fields: [
    emailsField,
    {
      displayName: 'Additional Fields',
      name: 'additionalFields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [
        {
          displayName: 'Invited By',
          name: 'invitedBy',
          type: 'string',
          default: '',
          placeholder: 'e.g. admin@example.com',
          description:
            'Email address of the admin who sends the invitation. The most recent workspace admin if not set.',
        },
        organizationRoleField,
        {
          displayName: 'Send Invitation Email',
          name: 'sendInvitationEmail',
          type: 'boolean',
          default: true,
          description: 'Whether to send invitation emails to the new team members (default: on)',
        },
      ],
    },
  ],
};
