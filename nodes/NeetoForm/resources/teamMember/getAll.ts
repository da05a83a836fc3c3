import { TEAM_MEMBERS, TEAM_MEMBERS_V1 } from '../../api/endpoints';
import type { Row } from '../../api/parse';
import { returnAllAndLimit } from '../../fields/paging';
import { filtersOf, optionsOf, textField } from '../../fields/shapes';
import { hasEmail, readLimit, readRows } from '../../execution/rows';
import { requireEmail, requireOption, type ChoiceField } from '../../parameters/values';
import type { OperationDescription } from '../describeResource';

const emailFilter = textField(
  'Email',
  'email',
  'jane@example.com',
  'Only the team member with exactly this email address',
);

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

export const getManyTeamMembers: OperationDescription = {
  name: 'Get Many',
  value: 'getAll',
  action: 'Get many team members',
  description: 'Get the team members of the workspace, removed ones included unless Status narrows the list',
  route: { method: 'GET', url: TEAM_MEMBERS },
  fields: [...returnAllAndLimit, filtersOf([emailFilter, statusFilter]), optionsOf([versionOption])],
  run: async (operation) => {
    const { read } = operation;
    const limit = readLimit(read);
    const filters = read.within('filters');
    const email = filters.optional(emailFilter, requireEmail);
    const status = filters.optional(statusFilter, requireOption);
    const isV1 = read.within('options').value(versionOption, requireOption) === 'v1';
    const isWanted = (member: Row) =>
      (email === undefined || hasEmail(member, email)) &&
      (status === undefined || status === (member.data.active === false ? 'inactive' : 'active'));
    const matches = email === undefined && status === undefined ? undefined : isWanted;
    // In version 2, the service filters by address, too, which saves requests.
    const sent = isV1 ? { path: TEAM_MEMBERS_V1 } : { query: { email } };
    const list = { key: 'team_members', limit, matches, resultOf: ({ data }: Row) => ({ json: data }) } as const;
    return await readRows(operation, list, sent);
  },
};
