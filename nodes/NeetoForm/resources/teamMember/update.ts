import { UserError } from 'n8n-workflow';
import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { organizationRoleField, teamMemberLocator, timeZoneField } from '../../fields/teamMember';
import { single } from '../../operations/single';
import { optionalText, requireEmail, requireText, requireTimeZone } from '../../parameters';
import type { OperationDescription } from '../describeResource';

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
          prepare: ({ body, parameter }) => {
            const change = (name: string, field: string, check: (value: unknown) => string | undefined) => {
              const value = parameter(`updateFields.${name}`);
              if (value !== undefined && value !== null) body[field] = check(value);
            };
            change('email', 'email', (value) => requireEmail('Email', value));
            change('firstName', 'first_name', (value) => optionalText('First Name', value));
            change('lastName', 'last_name', (value) => optionalText('Last Name', value));
            change('organizationRole', 'organization_role', (value) => requireText('Organization Role', value).trim());
            change('timeZone', 'time_zone', (value) => requireTimeZone('Time Zone', value));
            if (Object.keys(body).length > 0) return;
            throw new UserError("'Update Fields' is empty", {
              description: 'Add at least one field to change. Nothing was sent.',
            });
          },
          toItem: ({ body }) => parseObject(body, 'team_member'),
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
