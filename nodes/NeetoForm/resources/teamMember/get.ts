import { TEAM_MEMBER } from '../../api/endpoints';
import { readTeamMember } from '../../api/service';
import { findTeamMember } from '../../execution/findTeamMember';
import { teamMemberLocator } from '../../fields/teamMember';
import type { OperationDescription } from '../describeResource';

export const getTeamMember: OperationDescription = {
  name: 'Get',
  value: 'get',
  action: 'Get team member',
  description: 'Get an active team member',
  route: { method: 'GET', url: TEAM_MEMBER },
  fields: [teamMemberLocator],
  run: async (operation) => {
    const target = await findTeamMember(operation);
    return [{ json: await readTeamMember(operation.get, target) }];
  },
};
