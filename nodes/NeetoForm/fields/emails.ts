import type { INodeProperties } from 'n8n-workflow';

/** Addresses as text, or as the list an expression gives. */
export const emailsField: INodeProperties = {
  displayName: 'Emails',
  name: 'emails',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. jane@example.com, joe@example.com',
  description: 'Email addresses, separated by commas. An expression may also give a list.',
};
