import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { TEAM_MEMBERS, TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { returnAllAndLimit } from '../../fields/paging';
import { showOnlyFor } from '../../fields/scope';
import { byEmail } from '../../operations/filters';
import { many } from '../../operations/many';

export const getManyTeamMembers: INodePropertyOptions = {
  name: 'Get Many',
  value: 'getAll',
  action: 'Get many team members',
  description: 'Get the team members of the workspace',
  routing: {
    request: { method: 'GET', url: TEAM_MEMBERS },
    operations: {
      pagination: many({
        about: { what: 'team members' },
        list: 'team_members',
        pageParameter: 'page_number',
        select: byEmail,
      }),
    },
  },
};

export const getManyTeamMembersFields: INodeProperties[] = showOnlyFor('teamMember', 'getAll', [
  ...returnAllAndLimit,
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'e.g. jane@example.com',
        description: 'Only the team member with exactly this email address',
        routing: { send: { type: 'query', property: 'email', value: '={{ $value.trim() || undefined }}' } },
      },
    ],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      {
        displayName: 'API Version',
        name: 'apiVersion',
        type: 'options',
        options: [
          {
            name: 'V1 (Deprecated)',
            value: 'v1',
            description: 'The old interface, which the service may switch off',
            routing: { request: { url: TEAM_MEMBERS_V1 } },
          },
          { name: 'V2', value: 'v2' },
        ],
        default: 'v2',
        description: "The version of the service's interface to ask",
      },
    ],
  },
]);
