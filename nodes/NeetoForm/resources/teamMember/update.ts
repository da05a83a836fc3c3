import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { parseObject } from '../../api/parse';
import { showOnlyFor } from '../../fields/scope';
import { teamMemberLocator } from '../../fields/teamMemberLocator';
import { emailInBody } from '../../operations/emails';
import { one } from '../../operations/one';
import { changesInBody } from '../../operations/required';

export const updateTeamMember: INodePropertyOptions = {
  name: 'Update',
  value: 'update',
  action: 'Update a team member',
  description: 'Change the details or the role of a team member',
  routing: {
    request: { method: 'PATCH' },
    operations: {
      pagination: one({
        about: { what: 'team member', id: 'teamMemberId', parameter: 'Team Member' },
        prepare: [changesInBody('Update Fields'), emailInBody('email', 'Email')],
        item: ({ body }) => parseObject(body, 'team_member'),
      }),
    },
  },
};

export const updateTeamMemberFields: INodeProperties[] = showOnlyFor('teamMember', 'update', [
  teamMemberLocator,
  {
    displayName: 'Update Fields',
    name: 'updateFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'e.g. jane@example.com',
        description: 'The new email address',
        routing: { send: { type: 'body', property: 'email' } },
      },
      {
        displayName: 'First Name',
        name: 'firstName',
        type: 'string',
        default: '',
        placeholder: 'e.g. Jane',
        description: 'The new first name',
        routing: { send: { type: 'body', property: 'first_name' } },
      },
      {
        displayName: 'Last Name',
        name: 'lastName',
        type: 'string',
        default: '',
        placeholder: 'e.g. Doe',
        description: 'The new last name',
        routing: { send: { type: 'body', property: 'last_name' } },
      },
      {
        displayName: 'Organization Role',
        name: 'organizationRole',
        type: 'string',
        default: '',
        placeholder: 'e.g. Standard',
        description: 'The new role: one of the workspace, in its exact spelling with upper and lower case',
        routing: { send: { type: 'body', property: 'organization_role' } },
      },
      {
        displayName: 'Time Zone',
        name: 'timeZone',
        type: 'string',
        default: '',
        placeholder: 'e.g. Europe/Berlin',
        description: 'The name of the new time zone',
        routing: { send: { type: 'body', property: 'time_zone' } },
      },
    ],
  },
]);
