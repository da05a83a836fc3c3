import type { INodeExecutionData } from 'n8n-workflow';
import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { teamMemberLocator } from '../../fields/teamMember';
import { findTeamMember } from '../../operations/findTeamMember';
import { defineOperation, type Operation } from '../../operations/operation';
import type { OperationDescription } from '../describeResource';

async function get(operation: Operation): Promise<INodeExecutionData[]> {
  const target = await findTeamMember(operation);
  return [{ json: await operation.send({ target }, (response) => parseObject(response, 'team_member')) }];
}

export const getTeamMember: OperationDescription = {
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get team member',
    description: 'Get an active team member',
  },
  route: { method: 'GET', url: TEAM_MEMBER },
  run: defineOperation(get),
  fields: [teamMemberLocator],
};
