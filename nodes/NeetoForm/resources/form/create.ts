import { FORMS } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { single } from '../../operations/single';
import { optionalEmail, requireText } from '../../parameters';
import type { OperationDescription } from '../describeResource';

export const createForm: OperationDescription = {
  option: {
    name: 'Create',
    value: 'create',
    action: 'Create form',
    description: 'Create an empty draft form',
    routing: {
      request: { method: 'POST', url: FORMS },
      operations: {
        pagination: single({
          request: ({ parameter }) => {
            const title = requireText('Title', parameter('title'));
            const email = optionalEmail('Created By Email', parameter('createdByEmail'));
            return { body: { form: { title, ...(email !== undefined && { created_by_email: email }) } } };
          },
          item: (body) => parseObject(body, 'form'),
        }),
      },
    },
  },
  fields: [
    {
      displayName: 'Title',
      name: 'title',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. Contact us',
      description: 'The title of the new form',
    },
    {
      displayName: 'Created By Email',
      name: 'createdByEmail',
      type: 'string',
      default: '',
      placeholder: 'e.g. jane@example.com',
      description: 'Email address of the team member who creates the form',
    },
  ],
};
