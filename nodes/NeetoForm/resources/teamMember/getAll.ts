import { TEAM_MEMBERS, TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { returnAllAndLimit } from '../../fields/paging';
import { list } from '../../operations/list';
import { hasEmail } from '../../operations/teamMembers';
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
          prepare: (operation) => {
            const { query, filter, parameter } = operation;
            const version = requireOption('API Version', parameter('options.apiVersion', 'v2'), ['v2', 'v1']);
            if (version === 'v1') operation.path = TEAM_MEMBERS_V1;
            const wanted = optionalEmail('Email', filter('filters.email', 'Email'));
            if (wanted === undefined) return undefined;
            query.email = wanted;
            // A service that does not know the parameter returns everyone.
            return { matches: (member) => hasEmail(member, wanted) };
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
            { name: 'V2', value: 'v2' },
            {
              name: 'V1 (Deprecated)',
              value: 'v1',
              description: 'The old version, which the service may switch off',
            },
          ],
          default: 'v2',
          description: 'API version to use',
        },
      ],
    },
  ],
};
