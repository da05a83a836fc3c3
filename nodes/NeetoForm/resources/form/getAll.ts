import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { FORMS } from '../../api/endpoints';
import { orderOption, returnAllAndLimit } from '../../fields/paging';
import { showOnlyFor } from '../../fields/scope';
import { byTitle } from '../../operations/filters';
import { many } from '../../operations/many';

export const getManyForms: INodePropertyOptions = {
  name: 'Get Many',
  value: 'getAll',
  action: 'Get many forms',
  description: 'Get the forms of the workspace',
  routing: {
    request: { method: 'GET', url: FORMS },
    operations: {
      pagination: many({
        about: { what: 'forms' },
        list: 'forms',
        pageParameter: 'page',
        select: byTitle,
      }),
    },
  },
};

export const getManyFormsFields: INodeProperties[] = showOnlyFor('form', 'getAll', [
  ...returnAllAndLimit,
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        options: [
          { name: 'Active', value: 'active' },
          { name: 'Archived', value: 'archived' },
          { name: 'Favorite', value: 'favorite' },
        ],
        default: 'active',
        description: 'Only forms in this state. Without this filter, archived forms are included.',
        routing: { send: { type: 'query', property: 'status' } },
      },
      {
        displayName: 'Title',
        name: 'title',
        type: 'string',
        default: '',
        placeholder: 'e.g. customer survey',
        description: 'Words that must all be in the title, in upper or lower case',
      },
    ],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [orderOption],
  },
]);
