import { TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { emailsField } from '../../fields/teamMember';
import { requireEmails } from '../../parameters/values';
import type { OperationDescription } from '../describeResource';

/** Version 2 of the API removes one team member at a time, by ID: only the deprecated version 1 takes a list of addresses. */
export const removeTeamMembersByEmail: OperationDescription = {
  name: 'Remove by Email',
  value: 'removeByEmail',
  action: 'Remove team members by email',
  description: 'Remove one or several people from the workspace by their email addresses',
  route: { method: 'DELETE', url: TEAM_MEMBERS_V1 },
  fields: [
    emailsField,
    {
      displayName:
        'This operation uses the deprecated version 1 of the API, which the service may switch off. To remove one person, use the operation Remove, which also takes an email address.',
      name: 'removeByEmailNotice',
      type: 'notice',
      default: '',
    },
  ],
  run: async ({ read, send }) => {
    const emails = read.value(emailsField, requireEmails);
    // The target has no ID, because it may be several people. An error names the field.
    const target = { parameter: emailsField.displayName };
    const message = await send({ target, body: { emails } }, parseMessage);
    return [{ json: { deleted: true, emails, message } }];
  },
};
