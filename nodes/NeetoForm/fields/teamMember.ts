import type { INodeProperties } from 'n8n-workflow';

/** Addresses as text, or as the list an expression gives. */
export const emailsField: INodeProperties = {
  displayName: 'Emails',
  name: 'emails',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. jane@example.com, joe@example.com',
  description: 'Email addresses, separated by commas. An expression may also give a list.',
};

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
      placeholder: 'Select a team member…',
      typeOptions: { searchListMethod: 'searchTeamMembers', searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: 'e.g. 7a6e2f9c-51d4-4b0e-8d3a-f2c1908b6e47',
    },
  ],
};
