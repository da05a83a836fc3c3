import type {
  DeclarativeRestApiSettings,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { paginationHook, type Operation } from '../operations/operation';

/** An operation as its file describes it. */
export interface OperationDescription {
  /** The entry in the drop-down of operations. */
  option: INodePropertyOptions & { value: string };
  /** The request that the operation sends, unless `run` says otherwise: its method and its path. */
  route: DeclarativeRestApiSettings.HttpRequestOptions;
  /** The fields below the drop-down. */
  fields: INodeProperties[];
  /** Reads the parameters of an input item, sends requests, and returns the items. */
  run: (operation: Operation) => Promise<INodeExecutionData[]>;
}

/** Makes the properties of a resource: the drop-down of its operations, and the fields of each, which are shown only for it. */
export function describeResource(resource: string, operations: OperationDescription[]): INodeProperties[] {
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource] } },
      // For the chosen option, n8n calls the function of `paginationHook` with the route, and that function sends the requests.
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
