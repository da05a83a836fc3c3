import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { readObject } from '../../api/read';
import { showOnlyFor } from '../../fields/scope';
import { teamMemberLocator } from '../../fields/teamMemberLocator';
import { one } from '../../routing/one';

export const getTeamMember: INodePropertyOptions = {
  name: 'Get',
  value: 'get',
  action: 'Get a team member',
  description: 'Get an active team member',
  routing: {
    request: { method: 'GET' },
    operations: {
      pagination: one({
        about: { what: 'team member', id: 'teamMemberId', parameter: 'Team Member' },
        item: ({ body }) => readObject(body, 'team_member'),
      }),
    },
  },
};

export const getTeamMemberFields: INodeProperties[] = showOnlyFor('teamMember', 'get', [teamMemberLocator]);
