import type { INodeProperties } from 'n8n-workflow';

/** Shows fields for one operation of one resource only. */
export function showOnlyFor(resource: string, operation: string, fields: INodeProperties[]): INodeProperties[] {
  return fields.map((field) => ({
    ...field,
    displayOptions: {
      ...field.displayOptions,
      show: { ...field.displayOptions?.show, resource: [resource], operation: [operation] },
    },
  }));
}
