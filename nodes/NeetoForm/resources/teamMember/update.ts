import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { organizationRoleField, teamMemberLocator, timeZoneField } from '../../fields/teamMember';
import type { ParameterReader } from '../../operations/operation';
import { single } from '../../operations/single';
import { optionalText, requireEmail, requireText } from '../../parameters';
import type { OperationDescription } from '../describeResource';

/** The fields to change, as the service names them. */
function changesIn(parameter: ParameterReader['parameter']): IDataObject {
  const changes: IDataObject = {};
  const change = (name: string, field: string, check: (value: unknown) => string | undefined) => {
    const value = parameter(`updateFields.${name}`);
    if (value !== undefined && value !== null) changes[field] = check(value);
  };
  change('email', 'email', (value) => requireEmail('Email', value));
  change('firstName', 'first_name', (value) => optionalText('First Name', value));
  change('lastName', 'last_name', (value) => optionalText('Last Name', value));
  change('organizationRole', 'organization_role', (value) => requireText('Organization Role', value).trim());
  change('timeZone', 'time_zone', (value) => requireText('Time Zone', value).trim());
  if (Object.keys(changes).length > 0) return changes;
  throw new UserError("'Update Fields' is empty", {
    description: 'Add at least one field to change. Nothing was sent.',
  });
}

export const updateTeamMember: OperationDescription = {
  option: {
    name: 'Update',
    value: 'update',
    action: 'Update team member',
    description: 'Change the details or the role of a team member',
    routing: {
      request: { method: 'PATCH', url: TEAM_MEMBER },
      operations: {
        pagination: single({
          request: ({ parameter }) => ({ body: changesIn(parameter) }),
          item: (body) => parseObject(body, 'team_member'),
        }),
      },
    },
  },
  fields: [
    teamMemberLocator,
    {
      displayName: 'Update Fields',
      name: 'updateFields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [
        {
          displayName: 'Email',
          name: 'email',
          type: 'string',
          default: '',
          placeholder: 'e.g. jane@example.com',
          description: 'The new email address',
        },
        {
          displayName: 'First Name',
          name: 'firstName',
          type: 'string',
          default: '',
          placeholder: 'e.g. Jane',
          description: 'The new first name',
        },
        {
          displayName: 'Last Name',
          name: 'lastName',
          type: 'string',
          default: '',
          placeholder: 'e.g. Doe',
          description: 'The new last name',
        },
        organizationRoleField,
        timeZoneField,
      ],
    },
  ],
};
