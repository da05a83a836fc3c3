import type { INodeProperties } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { additionalFieldsOf } from '../../fields/collections';
import { single } from '../../operations/single';
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
  option: {
    name: 'Create',
    value: 'create',
    action: 'Create form',
    description: 'Create an empty draft form',
  },
  route: { method: 'POST', url: FORMS },
  run: single({
    request: (read) => {
      const title = read.text(titleField);
      const email = read.optional('additionalFields', 'refuse expressions').email(createdByEmailField);
      return { body: { form: { title, created_by_email: email } } };
    },
    item: (response) => parseObject(response, 'form'),
  }),
  fields: [titleField, additionalFieldsOf([createdByEmailField])],
};
