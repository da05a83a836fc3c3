import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { emailsField } from '../../fields/emails';
import { showOnlyFor } from '../../fields/scope';
import { emailInBody, emailsIntoBody } from '../../operations/emails';
import { one } from '../../operations/one';

export const addTeamMembers: INodePropertyOptions = {
  name: 'Add',
  value: 'add',
  action: 'Add team members',
  description: 'Add one or several people to the workspace',
  routing: {
    request: { method: 'POST', url: TEAM_MEMBERS },
    operations: {
      pagination: one({
        about: { what: 'team members' },
        prepare: [emailsIntoBody, emailInBody('invited_by', 'Invited By')],
        item: ({ body }) => parseMessage(body),
      }),
    },
  },
};

export const addTeamMembersFields: INodeProperties[] = showOnlyFor('teamMember', 'add', [
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
        description: 'Email address of the admin who sends the invitation. The most recent workspace admin if not set.',
        routing: { send: { type: 'body', property: 'invited_by', value: '={{ $value || undefined }}' } },
      },
      {
        displayName: 'Organization Role',
        name: 'organizationRole',
        type: 'string',
        default: '',
        placeholder: 'e.g. Standard',
        description: 'A role of the workspace, in its exact spelling with upper and lower case. Standard if not set.',
        routing: { send: { type: 'body', property: 'organization_role', value: '={{ $value || undefined }}' } },
      },
      {
        displayName: 'Send Invitation Email',
        name: 'sendInvitationEmail',
        type: 'boolean',
        default: true,
        description: 'Whether to send invitation emails to the new team members',
        routing: { send: { type: 'body', property: 'send_invitation_email', value: '={{ String($value) }}' } },
      },
    ],
  },
]);
