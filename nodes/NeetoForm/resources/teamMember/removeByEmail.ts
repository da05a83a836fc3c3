import { TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { emailsField } from '../../fields/teamMember';
import { single } from '../../operations/single';
import type { OperationDescription } from '../describeResource';

/** Version 2 of the API removes one team member at a time, by ID: only the deprecated version 1 takes a list of addresses. */
export const removeTeamMembersByEmail: OperationDescription = {
  option: {
    name: 'Remove by Email',
    value: 'removeByEmail',
    action: 'Remove team members by email',
    description: 'Remove one or several people from the workspace by their email addresses',
  },
  route: { method: 'DELETE', url: TEAM_MEMBERS_V1 },
  run: single({
    field: emailsField.displayName,
    request: (read) => ({ body: { emails: read.emails(emailsField) } }),
    item: (response, { body: { emails } }) => ({ deleted: true, emails, ...parseMessage(response) }),
  }),
  fields: [
    emailsField,
    {
      displayName:
        'This operation uses the deprecated version 1 of the API, which the service may switch off. To remove one person, use Remove with By Email.',
      name: 'removeByEmailNotice',
      type: 'notice',
      default: '',
    },
  ],
};
