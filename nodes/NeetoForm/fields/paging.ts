import type { INodeProperties } from 'n8n-workflow';

/** How many results a list returns. */
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

/** The order of a list that the service sorts by creation time. It is always sent, because the service's own default is undecided. */
export const sortField: INodeProperties = {
  displayName: 'Sort',
  name: 'sort',
  type: 'collection',
  placeholder: 'Add Sort',
  default: {},
  options: [
    {
      displayName: 'Order',
      name: 'order',
      type: 'options',
      options: [
        { name: 'Newest First', value: 'desc' },
        { name: 'Oldest First', value: 'asc' },
      ],
      default: 'desc',
      description: 'The order of the results, by creation time. Newest first if not set.',
    },
  ],
};
