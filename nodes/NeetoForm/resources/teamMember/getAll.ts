import { TEAM_MEMBERS } from '../../api/endpoints';
import type { Row } from '../../api/parse';
import { readMembersPage, readMembersPageV1 } from '../../api/service';
import { hasEmail } from '../../execution/findTeamMember';
import { returnAllAndLimit } from '../../fields/paging';
import { filtersOf, optionsOf, textField, type ChoiceField } from '../../fields/shapes';
import type { List } from '../../lists/list';
import { readList } from '../../lists/readList';
import { readLimit } from '../../parameters/listSettings';
import { requireEmail, requireOption } from '../../parameters/values';
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
  run: async ({ get, read }) => {
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
    const readPage: List<unknown>['readPage'] = async (asked, signal) =>
      isV1 ? await readMembersPageV1(get, asked, signal) : await readMembersPage(get, asked, signal, email);
    const resultOf = ({ data }: Row) => ({ json: data });
    return await readList({ key: 'team_members', limit, readPage, matches, resultOf });
  },
};
