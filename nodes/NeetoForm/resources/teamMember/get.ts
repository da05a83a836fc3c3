import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { teamMemberLocator } from '../../fields/teamMember';
import { single } from '../../operations/single';
import type { OperationDescription } from '../describeResource';

export const getTeamMember: OperationDescription = {
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get team member',
    description: 'Get an active team member',
  },
  route: { method: 'GET', url: TEAM_MEMBER },
  run: single({ item: (response) => parseObject(response, 'team_member') }),
  fields: [teamMemberLocator],
};
