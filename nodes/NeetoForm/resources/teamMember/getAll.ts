import { TEAM_MEMBERS, TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { returnAllAndLimit } from '../../fields/paging';
import { list } from '../../operations/list';
import { hasEmail } from '../../operations/targets';
import { optionalEmail, requireOption } from '../../parameters';
import type { OperationDescription } from '../describeResource';

export const getManyTeamMembers: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many team members',
    description: 'Get the team members of the workspace',
    routing: {
      request: { method: 'GET', url: TEAM_MEMBERS },
      operations: {
        pagination: list({
          key: 'team_members',
          pageParameter: 'page_number',
          request: ({ filter, parameter }) => {
            const version = requireOption('API Version', parameter('options.apiVersion', 'v2'), ['v2', 'v1']);
            const path = version === 'v1' ? TEAM_MEMBERS_V1 : TEAM_MEMBERS;
            const email = optionalEmail('Email', filter('filters.email', 'Email'));
            if (email === undefined) return { path };
            // Version 1 does not know the filter, and version 2 may ignore it.
            return { path, query: version === 'v1' ? {} : { email }, matches: (member) => hasEmail(member, email) };
          },
        }),
      },
    },
  },
  fields: [
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
              description: 'The old version, which the service may switch off',
            },
            { name: 'V2', value: 'v2' },
          ],
          default: 'v2',
          description: 'API version to use',
        },
      ],
    },
  ],
};
