import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { parseObject } from '../../api/parse';
import { showOnlyFor } from '../../fields/scope';
import { teamMemberLocator } from '../../fields/teamMemberLocator';
import { one } from '../../operations/one';

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
        item: ({ body }) => parseObject(body, 'team_member'),
      }),
    },
  },
};

export const getTeamMemberFields: INodeProperties[] = showOnlyFor('teamMember', 'get', [teamMemberLocator]);
