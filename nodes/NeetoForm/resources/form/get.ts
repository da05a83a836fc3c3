import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { parseObject } from '../../api/parse';
import { formLocatorTo } from '../../fields/formLocator';
import { showOnlyFor } from '../../fields/scope';
import { one } from '../../operations/one';

export const getForm: INodePropertyOptions = {
  name: 'Get',
  value: 'get',
  action: 'Get a form',
  description: 'Get a form with its questions',
  routing: {
    request: { method: 'GET' },
    operations: {
      pagination: one({
        about: { what: 'form', id: 'formId', parameter: 'Form' },
        item: ({ body }) => parseObject(body),
      }),
    },
  },
};

export const getFormFields: INodeProperties[] = showOnlyFor('form', 'get', [formLocatorTo()]);
