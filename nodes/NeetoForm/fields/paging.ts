import type { INodeProperties } from 'n8n-workflow';
import { sortOf, type ChoiceField } from './shapes';

export const returnAllField: INodeProperties = {
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  description: 'Whether to return all results or only up to a given limit',
};

export const limitField: INodeProperties = {
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  // n8n's engine overflows its stack at about 125,000 results per input item.
  typeOptions: { minValue: 1, maxValue: 120_000 },
  default: 50,
  description: 'Max number of results to return',
  displayOptions: { show: { returnAll: [false] } },
};

export const returnAllAndLimit: INodeProperties[] = [returnAllField, limitField];

export const orderField: ChoiceField<'asc' | 'desc'> = {
  displayName: 'Order',
  name: 'order',
  type: 'options',
  options: [
    { name: 'Newest First', value: 'desc' },
    { name: 'Oldest First', value: 'asc' },
  ],
  default: 'desc',
  description: 'The order of the results, by creation time. Newest first if not set.',
};

/** Every request for forms or submissions names an order, because NeetoForm's documents contradict each other about the default one. */
export const sortField: INodeProperties = sortOf([orderField]);
