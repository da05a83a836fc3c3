import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import { parseObject } from '../../api/parse';
import { showOnlyFor } from '../../fields/scope';
import { emailInBody } from '../../operations/emails';
import { one } from '../../operations/one';
import { textInBody } from '../../operations/required';

export const createForm: INodePropertyOptions = {
  name: 'Create',
  value: 'create',
  action: 'Create a form',
  description: 'Create a form with a title',
  routing: {
    request: { method: 'POST', url: FORMS },
    operations: {
      pagination: one({
        about: { what: 'forms' },
        prepare: [textInBody('form.title', 'Title'), emailInBody('form.created_by_email', 'Created By Email')],
        item: ({ body }) => parseObject(body, 'form'),
      }),
    },
  },
};

export const createFormFields: INodeProperties[] = showOnlyFor('form', 'create', [
  {
    displayName: 'Title',
    name: 'title',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. Contact us',
    description: 'The title of the new form',
    routing: {
      send: {
        type: 'body',
        property: 'form.title',
        value: '={{ typeof $value === "number" ? String($value) : $value }}',
      },
    },
  },
  {
    displayName: 'Created By Email',
    name: 'createdByEmail',
    type: 'string',
    default: '',
    placeholder: 'e.g. jane@example.com',
    description: 'Email address of the team member the form is created for',
    routing: { send: { type: 'body', property: 'form.created_by_email', value: '={{ $value || undefined }}' } },
  },
]);
