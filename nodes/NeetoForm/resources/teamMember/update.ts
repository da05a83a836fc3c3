import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { findTeamMember } from '../../execution/findTeamMember';
import { textField, updateFieldsOf } from '../../fields/shapes';
import { organizationRoleField, teamMemberLocator, timeZoneField } from '../../fields/teamMember';
import { invalidValue, requireEmail, requireTrimmedText } from '../../parameters/values';
import type { OperationDescription } from '../describeResource';

const emailField = textField('Email', 'email', 'jane@example.com', 'The new email address');
const firstNameField = textField('First Name', 'firstName', 'Jane', 'The new first name');
const lastNameField = textField('Last Name', 'lastName', 'Doe', 'The new last name');

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
      email: fields.change(emailField, requireEmail),
      first_name: fields.change(firstNameField, requireTrimmedText),
      last_name: fields.change(lastNameField, requireTrimmedText),
      organization_role: fields.change(organizationRoleField, requireTrimmedText),
      time_zone: fields.change(timeZoneField, requireTrimmedText),
    }).filter(([, value]) => value !== undefined);
    if (changes.length === 0) {
      throw invalidValue("'Update Fields' is empty", 'Add at least one field to change. Nothing was sent.');
    }

    const target = await findTeamMember(operation);
    const sent = { target, body: Object.fromEntries(changes) };
    return [{ json: await operation.send(sent, (response) => parseObject(response, 'team_member')) }];
  },
};
