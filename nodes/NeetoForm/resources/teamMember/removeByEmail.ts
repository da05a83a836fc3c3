import { TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { emailsField } from '../../fields/teamMember';
import { single } from '../../operations/single';
import { requireEmails } from '../../parameters';
import type { OperationDescription } from '../describeResource';

/** Version 2 of the API removes by ID only, so this is the one operation that needs the deprecated version 1. */
export const removeTeamMembersByEmail: OperationDescription = {
  option: {
    name: 'Remove by Email',
    value: 'removeByEmail',
    action: 'Remove team members by email',
    description: 'Remove one or several people from the workspace by their email addresses',
    routing: {
      request: { method: 'DELETE', url: TEAM_MEMBERS_V1 },
      operations: {
        pagination: single({
          parameter: 'Emails',
          prepare: ({ body, parameter }) => {
            body.emails = requireEmails('Emails', parameter('emails'));
          },
          toItem: ({ body }) => parseMessage(body),
        }),
      },
    },
  },
  fields: [emailsField],
};
