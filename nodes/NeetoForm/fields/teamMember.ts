import type { INodeProperties } from 'n8n-workflow';
import { choicesFrom, textField } from './shapes';

export const emailsField = textField(
  'Emails',
  'emails',
  'jane@example.com, joe@example.com',
  'Email addresses, separated by commas. An expression may also give a list.',
  { required: true },
);

export const teamMemberLocator: INodeProperties = {
  displayName: 'Team Member',
  name: 'teamMemberId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description: 'The team member to work on: ID or email address',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a team member…',
      typeOptions: { searchListMethod: 'searchTeamMembers', searchable: true },
    },
    {
      displayName: 'By Email',
      name: 'email',
      type: 'string',
      placeholder: 'e.g. jane@example.com',
      hint: 'The email address of an active team member',
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: 'e.g. 7a6e2f9c-51d4-4b0e-8d3a-f2c1908b6e47',
    },
  ],
};

export const organizationRoleField: INodeProperties = {
  displayName: 'Organization Role',
  name: 'organizationRole',
  type: 'options',
  typeOptions: choicesFrom('getRoles'),
  default: '',
  description:
    'A role of the workspace, in its exact spelling. A role of your own that nobody has yet is not in the list: specify it using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const timeZoneField: INodeProperties = {
  displayName: 'Time Zone',
  name: 'timeZone',
  type: 'options',
  typeOptions: choicesFrom('getTimeZones'),
  default: '',
  description: 'The time zone of the team member, such as Europe/Berlin',
};
