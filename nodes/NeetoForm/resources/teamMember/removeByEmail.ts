import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { TEAM_MEMBERS_V1 } from '../../api/endpoints';
import { parseMessage } from '../../api/parse';
import { emailsField } from '../../fields/emails';
import { showOnlyFor } from '../../fields/scope';
import { emailsIntoBody } from '../../operations/emails';
import { one } from '../../operations/one';

/** Version 2 removes by ID only, so this is the one operation that needs the deprecated version 1 (`service-api.md`, "Versioning"). */
export const removeTeamMembersByEmail: INodePropertyOptions = {
  name: 'Remove by Email',
  value: 'removeByEmail',
  action: 'Remove team members by email',
  description: 'Remove one or several people from the workspace by their email addresses',
  routing: {
    request: { method: 'DELETE', url: TEAM_MEMBERS_V1 },
    operations: {
      pagination: one({
        about: { what: 'team members', parameter: 'Emails' },
        prepare: [emailsIntoBody],
        item: ({ body }) => parseMessage(body),
      }),
    },
  },
};

export const removeTeamMembersByEmailFields: INodeProperties[] = showOnlyFor('teamMember', 'removeByEmail', [
  emailsField,
]);
