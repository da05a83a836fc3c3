import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { showOnlyFor } from '../../fields/scope';
import { teamMemberLocator } from '../../fields/teamMemberLocator';
import { one } from '../../operations/one';

export const removeTeamMember: INodePropertyOptions = {
  name: 'Remove',
  value: 'remove',
  action: 'Remove a team member',
  description: 'Remove a team member from the workspace by ID',
  routing: {
    request: { method: 'DELETE' },
    operations: {
      pagination: one({
        about: { what: 'team member', id: 'teamMemberId', parameter: 'Team Member' },
        item: () => ({ deleted: true }),
      }),
    },
  },
};

export const removeTeamMemberFields: INodeProperties[] = showOnlyFor('teamMember', 'remove', [teamMemberLocator]);
