import type { INodeProperties } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { additionalFieldsOf } from '../../fields/collections';
import { requireEmail, requireText } from '../../parameters/values';
import type { OperationDescription } from '../describeResource';

const titleField: INodeProperties = {
  displayName: 'Title',
  name: 'title',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. Contact us',
  description: 'The title of the new form',
};

const createdByEmailField: INodeProperties = {
  displayName: 'Created By Email',
  name: 'createdByEmail',
  type: 'string',
  default: '',
  placeholder: 'e.g. jane@example.com',
  description: 'Email address of the team member who creates the form',
};

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
