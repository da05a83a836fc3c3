import { describeResource } from '../describeResource';
import { addTeamMembers } from './add';
import { getTeamMember } from './get';
import { getManyTeamMembers } from './getAll';
import { removeTeamMember } from './remove';
import { removeTeamMembersByEmail } from './removeByEmail';
import { updateTeamMember } from './update';

export const teamMemberDescription = describeResource('teamMember', [
  addTeamMembers,
  getTeamMember,
  getManyTeamMembers,
  removeTeamMember,
  removeTeamMembersByEmail,
  updateTeamMember,
]);
