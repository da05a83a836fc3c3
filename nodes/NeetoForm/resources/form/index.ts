import type { INodeProperties } from 'n8n-workflow';
import { createForm, createFormFields } from './create';
import { getForm, getFormFields } from './get';
import { getManyForms, getManyFormsFields } from './getAll';

export const formDescription: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['form'] } },
    options: [createForm, getForm, getManyForms],
    default: 'getAll',
  },
  ...createFormFields,
  ...getFormFields,
  ...getManyFormsFields,
];
