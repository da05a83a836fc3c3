import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

/** An operation as its file describes it: the option in the drop-down, with its route, and the fields below. */
export interface OperationDescription {
  option: INodePropertyOptions & { value: string };
  fields: INodeProperties[];
}

/**
 * The properties of a resource: the drop-down of its operations in alphabetical order, and the fields of each, shown for it alone.
 *
 * @param preselected the operation that a new node has
 */
export function describeResource(
  resource: string,
  operations: OperationDescription[],
  preselected: OperationDescription,
): INodeProperties[] {
  const { value } = preselected.option;
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource] } },
      options: operations.map(({ option }) => option).sort((a, b) => a.name.localeCompare(b.name)),
      default: value,
    },
    ...operations.flatMap(({ option, fields }) =>
      updateDisplayOptions({ show: { resource: [resource], operation: [option.value] } }, fields),
    ),
  ];
}
