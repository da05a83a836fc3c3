import type { DeclarativeRestApiSettings, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { PaginationHook } from '../operations/operation';

/** An operation as its file describes it. */
export interface OperationDescription {
  /** In the drop-down of operations. */
  option: INodePropertyOptions & { value: string };
  /** The request to the service. */
  route: DeclarativeRestApiSettings.HttpRequestOptions;
  /** What becomes of it: see operations/operation.ts. */
  run: PaginationHook;
  /** Below the drop-down. */
  fields: INodeProperties[];
}

/** The properties of a resource: the drop-down of its operations in alphabetical order, and the fields of each, shown for it alone. */
export function describeResource(resource: string, operations: OperationDescription[]): INodeProperties[] {
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource] } },
      options: operations
        .map(({ option, route, run }) => ({ ...option, routing: { request: route, operations: { pagination: run } } }))
        .sort((a, b) => a.name.localeCompare(b.name)),
      default: 'getAll',
    },
    ...operations.flatMap(({ option, fields }) =>
      updateDisplayOptions({ show: { resource: [resource], operation: [option.value] } }, fields),
    ),
  ];
}
