import { TEAM_MEMBER } from '../../api/endpoints';
import { findTeamMember } from '../../execution/findTeamMember';
import { teamMemberLocator } from '../../fields/teamMember';
import type { OperationDescription } from '../describeResource';

export const removeTeamMember: OperationDescription = {
  name: 'Remove',
  value: 'remove',
  action: 'Remove team member',
  description: 'Remove a team member from the workspace',
  route: { method: 'DELETE', url: TEAM_MEMBER },
  fields: [
    teamMemberLocator,
    {
      displayName:
        'The team member can no longer sign in to the workspace. To restore the access, add the email address again.',
      name: 'removeNotice',
      type: 'notice',
      default: '',
    },
  ],
  run: async (operation) => {
    const target = await findTeamMember(operation);
    await operation.send({ target }, () => undefined);
    const { id, email } = target;
    return [{ json: { deleted: true, id, ...(email !== undefined && { email }) } }];
  },
};
