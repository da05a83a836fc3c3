import { NodeConnectionTypes, Workflow } from 'n8n-workflow';
import type { IDataObject, INode, INodeType, INodeTypeDescription, WorkflowParameters } from 'n8n-workflow';

/** A workflow in an n8n that has only this type of node. */
export function workflowOf(nodeType: INodeType, nodes: INode[], over: Partial<WorkflowParameters> = {}): Workflow {
  const { name } = nodeType.description;
  return new Workflow({
    id: 'workflow-under-test',
    name: 'Workflow under test',
    nodes,
    connections: {},
    active: false,
    nodeTypes: {
      getByName: () => nodeType,
      getByNameAndVersion: () => nodeType,
      getKnownTypes: () => ({ [name]: { className: name, sourcePath: '' } }),
    },
    settings: { timezone: 'UTC' },
    ...over,
  });
}

/** A type of node that does nothing. */
export function placeholderType(over: Partial<INodeTypeDescription> = {}): INodeType {
  const description: INodeTypeDescription = {
    displayName: 'Placeholder',
    name: 'placeholder',
    group: ['transform'],
    version: 1,
    description: 'Does nothing',
    defaults: {},
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    properties: [],
  };
  return { description: { ...description, ...over } };
}

/** A node of that type. */
export function placeholderNode(name = 'Placeholder', over: Partial<INode> = {}): INode {
  return { id: name, name, type: 'placeholder', typeVersion: 1, position: [0, 0], parameters: {}, ...over };
}

/** Whether a value is an object with keys: no list, and not null. */
export function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
