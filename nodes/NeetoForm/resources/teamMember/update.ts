import type { INodeProperties } from 'n8n-workflow';
import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { updateFieldsOf } from '../../fields/collections';
import { organizationRoleField, teamMemberLocator, timeZoneField } from '../../fields/teamMember';
import { findTeamMember } from '../../operations/findTeamMember';
import { invalidValue, requireEmail, requireTrimmedText } from '../../parameters/values';
import type { OperationDescription } from '../describeResource';

const emailField: INodeProperties = {
  displayName: 'Email',
  name: 'email',
  type: 'string',
  default: '',
  placeholder: 'e.g. jane@example.com',
  description: 'The new email address',
};

const firstNameField: INodeProperties = {
  displayName: 'First Name',
  name: 'firstName',
  type: 'string',
  default: '',
  placeholder: 'e.g. Jane',
  description: 'The new first name',
};

const lastNameField: INodeProperties = {
  displayName: 'Last Name',
  name: 'lastName',
  type: 'string',
  default: '',
  placeholder: 'e.g. Doe',
  description: 'The new last name',
};

export const updateTeamMember: OperationDescription = {
  name: 'Update',
  value: 'update',
  action: 'Update team member',
  description: 'Change the details or the role of a team member',
  route: { method: 'PATCH', url: TEAM_MEMBER },
  fields: [
    teamMemberLocator,
    updateFieldsOf([emailField, firstNameField, lastNameField, organizationRoleField, timeZoneField]),
  ],
  run: async (operation) => {
    const fields = operation.read.within('updateFields');
    const changes = Object.entries({
      email: fields.optional(emailField, requireEmail),
      first_name: fields.optional(firstNameField, requireTrimmedText),
      last_name: fields.optional(lastNameField, requireTrimmedText),
      organization_role: fields.optional(organizationRoleField, requireTrimmedText),
      time_zone: fields.optional(timeZoneField, requireTrimmedText),
    }).filter(([, value]) => value !== undefined);
    if (changes.length === 0) {
      throw invalidValue("'Update Fields' is empty", 'Add at least one field to change. Nothing was sent.');
    }

    const target = await findTeamMember(operation);
    const sent = { target, body: Object.fromEntries(changes) };
    return [{ json: await operation.send(sent, (response) => parseObject(response, 'team_member')) }];
  },
};
