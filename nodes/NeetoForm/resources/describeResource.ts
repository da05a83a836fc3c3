import type { INodeExecutionData, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { paginationHook, type Operation, type Route } from '../execution/operation';

/** An entry in the drop-down of operations, and what the operation does. */
export interface OperationDescription extends INodePropertyOptions {
  value: string;
  /** The default method and path of the requests that `run` sends. */
  route: Route;
  fields: INodeProperties[];
  run: (operation: Operation) => Promise<INodeExecutionData[]>;
}

/** Makes the properties of a resource: the drop-down of its operations, and their fields. */
export function describeResource(resource: string, operations: OperationDescription[]): INodeProperties[] {
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource] } },
      options: operations.map(({ name, value, action, description, route: request, run }) => ({
        name,
        value,
        action,
        description,
        // n8n calls this hook instead of sending the request itself. So all operations run in it, also those without pages.
        routing: { request, operations: { pagination: paginationHook(run) } },
      })),
      default: 'getAll',
    },
    ...operations.flatMap(({ value, fields }) =>
      updateDisplayOptions({ show: { resource: [resource], operation: [value] } }, fields),
    ),
  ];
}
