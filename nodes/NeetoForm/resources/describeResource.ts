import type {
  DeclarativeRestApiSettings,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { paginationHook, type Operation } from '../operations/operation';

export interface OperationDescription {
  /** The entry in the drop-down of operations. */
  option: INodePropertyOptions & { value: string };
  /** The default method and path of the requests that `run` sends. */
  route: DeclarativeRestApiSettings.HttpRequestOptions;
  fields: INodeProperties[];
  /** Runs the operation for one input item. */
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
      // n8n calls `pagination` with the request, instead of sending the request itself.
      options: operations.map(({ option, route: request, run }) => ({
        ...option,
        routing: { request, operations: { pagination: paginationHook(run) } },
      })),
      default: 'getAll',
    },
    ...operations.flatMap(({ option, fields }) =>
      updateDisplayOptions({ show: { resource: [resource], operation: [option.value] } }, fields),
    ),
  ];
}
