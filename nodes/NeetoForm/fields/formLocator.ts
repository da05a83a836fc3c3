import type { INodeProperties } from 'n8n-workflow';

/** The pattern of an ID of the service. */
export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** The pattern of what precedes an ID in a web address, up to the `/` before it. */
export const BEFORE_ID = 'https?://[^/]+/(?:[^?#]*?/)??';

/** The pattern of an ID in a web address. After `BEFORE_ID`, it matches a whole segment. */
export const ID_IN_ADDRESS = `${UUID}(?=[/?#]|$)`;

export const formLocator: INodeProperties = {
  displayName: 'Form',
  name: 'formId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description: 'The form to work on: its ID or its exact title',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a form…',
      typeOptions: { searchListMethod: 'searchForms', searchable: true },
    },
    {
      displayName: 'By URL',
      name: 'url',
      type: 'string',
      placeholder: 'e.g. https://acme.neetoform.com/2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20',
      hint: "An address with the form's ID in it",
      validation: [
        {
          type: 'regex',
          properties: {
            regex: `^${BEFORE_ID}${ID_IN_ADDRESS}.*$`,
            errorMessage:
              "This address has no form ID in it. Open the form in NeetoForm's editor and copy the address from there, or choose the form from the list",
          },
        },
      ],
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      hint: 'ID or exact title',
      placeholder: 'e.g. 2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20',
    },
  ],
};
