import type { INodeProperties } from 'n8n-workflow';
import { getManySubmissions, getManySubmissionsFields } from './getAll';

export const submissionDescription: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['submission'] } },
    options: [getManySubmissions],
    default: 'getAll',
  },
  ...getManySubmissionsFields,
];
