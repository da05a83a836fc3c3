import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { TEAM_MEMBER } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { updateFieldsOf } from '../../fields/collections';
import type { FieldReader } from '../../parameters/reader';
import { organizationRoleField, teamMemberLocator, timeZoneField } from '../../fields/teamMember';
import { single } from '../../operations/single';
import { refusal } from '../../parameters/values';
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

/** The fields to change, as the service names them. */
function changesIn(read: FieldReader): IDataObject {
  const fields = read.optional('updateFields', 'refuse');
  const changes = Object.entries({
    email: fields.email(emailField),
    first_name: fields.text(firstNameField),
    last_name: fields.text(lastNameField),
    organization_role: fields.text(organizationRoleField),
    time_zone: fields.text(timeZoneField),
  }).filter(([, value]) => value !== undefined);
  if (changes.length > 0) return Object.fromEntries(changes);
  throw refusal("'Update Fields' is empty", 'Add at least one field to change. Nothing was sent.');
}

export const updateTeamMember: OperationDescription = {
  option: {
    name: 'Update',
    value: 'update',
    action: 'Update team member',
    description: 'Change the details or the role of a team member',
  },
  route: { method: 'PATCH', url: TEAM_MEMBER },
  run: single({
    request: (read) => ({ body: changesIn(read) }),
    item: (response) => parseObject(response, 'team_member'),
  }),
  fields: [
    teamMemberLocator,
    updateFieldsOf([emailField, firstNameField, lastNameField, organizationRoleField, timeZoneField]),
  ],
};
