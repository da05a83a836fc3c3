import type { INodeProperties } from 'n8n-workflow';
import { addTeamMembers, addTeamMembersFields } from './add';
import { getTeamMember, getTeamMemberFields } from './get';
import { getManyTeamMembers, getManyTeamMembersFields } from './getAll';
import { removeTeamMember, removeTeamMemberFields } from './remove';
import { removeTeamMembersByEmail, removeTeamMembersByEmailFields } from './removeByEmail';
import { updateTeamMember, updateTeamMemberFields } from './update';

export const teamMemberDescription: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['teamMember'] } },
    options: [
      addTeamMembers,
      getTeamMember,
      getManyTeamMembers,
      removeTeamMember,
      removeTeamMembersByEmail,
      updateTeamMember,
    ],
    default: 'getAll',
  },
  ...addTeamMembersFields,
  ...getTeamMemberFields,
  ...getManyTeamMembersFields,
  ...removeTeamMemberFields,
  ...removeTeamMembersByEmailFields,
  ...updateTeamMemberFields,
];
