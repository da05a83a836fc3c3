import type { INodeProperties } from 'n8n-workflow';

/** How many results a list gives. */
export const returnAllAndLimit: INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { returnAll: [false] } },
  },
];

/** An option of lists that the service sorts by creation time. */
export const orderOption: INodeProperties = {
  displayName: 'Order',
  name: 'order',
  type: 'options',
  options: [
    { name: 'Newest First', value: 'desc' },
    { name: 'Oldest First', value: 'asc' },
  ],
  default: 'asc',
  description: 'The order of the results, by creation time',
  routing: { send: { type: 'query', property: 'order' } },
};
