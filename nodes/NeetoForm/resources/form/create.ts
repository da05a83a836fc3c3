import { FORMS } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { additionalFieldsOf, textField } from '../../fields/shapes';
import { requireEmail, requireText } from '../../parameters/values';
import type { OperationDescription } from '../describeResource';

const titleField = textField('Title', 'title', 'Contact us', 'The title of the new form', { required: true });

const createdByEmailField = textField(
  'Created By Email',
  'createdByEmail',
  'jane@example.com',
  'Email address of the team member who creates the form',
);

export const createForm: OperationDescription = {
  name: 'Create',
  value: 'create',
  action: 'Create form',
  description: 'Create an empty draft form',
  route: { method: 'POST', url: FORMS },
  fields: [titleField, additionalFieldsOf([createdByEmailField])],
  run: async ({ read, send }) => {
    const title = read.value(titleField, requireText);
    const email = read.within('additionalFields').optional(createdByEmailField, requireEmail);
    const body = { form: { title, created_by_email: email } };
    return [{ json: await send({ body }, (response) => parseObject(response, 'form')) }];
  },
};
