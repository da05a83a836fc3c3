import type { INodeProperties } from 'n8n-workflow';
import { TEAM_MEMBERS, TEAM_MEMBERS_V1 } from '../../api/endpoints';
import type { Row } from '../../api/parse';
import { filtersOf, optionsOf } from '../../fields/collections';
import { returnAllAndLimit } from '../../fields/paging';
import type { ChoiceField } from '../../parameters/reader';
import { list, type ListRequest } from '../../operations/list';
import type { Operation } from '../../operations/operation';
import { hasEmail } from '../../operations/targets';
import type { OperationDescription } from '../describeResource';

const emailFilter: INodeProperties = {
  displayName: 'Email',
  name: 'email',
  type: 'string',
  default: '',
  placeholder: 'e.g. jane@example.com',
  description: 'Only the team member with exactly this email address',
};

const statusFilter: ChoiceField<'active' | 'inactive'> = {
  displayName: 'Status',
  name: 'status',
  type: 'options',
  options: [
    { name: 'Active', value: 'active' },
    { name: 'Inactive', value: 'inactive', description: 'Removed from the workspace' },
  ],
  default: 'active',
  description: 'Only team members with this status. Without this filter, removed ones are included.',
};

const versionOption: ChoiceField<'v1' | 'v2'> = {
  displayName: 'API Version',
  name: 'apiVersion',
  type: 'options',
  options: [
    { name: 'V1 (Deprecated)', value: 'v1', description: 'The old version, which the service may switch off' },
    { name: 'V2', value: 'v2' },
  ],
  default: 'v2',
  description: 'API version to use',
};

/** The service may ignore the email address, and version 1 does not know it; it is not asked for the status. */
function membersRequest({ read }: Operation): ListRequest {
  const isV1 = read.within('options').option(versionOption) === 'v1';
  const filters = read.optional('filters', 'refuse expressions');
  const email = filters.email(emailFilter);
  const status = filters.option(statusFilter);
  const isWanted = (member: Row) =>
    (email === undefined || hasEmail(member, email)) &&
    (status === undefined || (member.data.active === false) === (status === 'inactive'));
  return {
    path: isV1 ? TEAM_MEMBERS_V1 : TEAM_MEMBERS,
    query: { email: isV1 ? undefined : email },
    matches: email === undefined && status === undefined ? undefined : isWanted,
  };
}

export const getManyTeamMembers: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many team members',
    description: 'Get the team members of the workspace',
  },
  route: { method: 'GET', url: TEAM_MEMBERS },
  run: list('team_members', membersRequest),
  fields: [...returnAllAndLimit, filtersOf([emailFilter, statusFilter]), optionsOf([versionOption])],
};
