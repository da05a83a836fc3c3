import type { INodeProperties } from 'n8n-workflow';
import { TEAM_MEMBERS } from '../api/endpoints';

/** A team member by list or ID. The ID mode works when listing fails. */
export const teamMemberLocator: INodeProperties = {
  displayName: 'Team Member',
  name: 'teamMemberId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description: 'The team member to work on',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'e.g. Jane Doe',
      typeOptions: { searchListMethod: 'searchTeamMembers', searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: 'e.g. 7a6e2f9c-51d4-4b0e-8d3a-f2c1908b6e47',
    },
  ],
  // On the field itself, for only here does n8n give the ID that an expression leads to.
  routing: { request: { url: `=${TEAM_MEMBERS}/{{ encodeURIComponent(String($value).trim()) }}` } },
};
