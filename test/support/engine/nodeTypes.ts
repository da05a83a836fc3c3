import type { INodeType, INodeTypes } from 'n8n-workflow';

/** The node types of an n8n that has only this one. */
export function onlyType(nodeType: INodeType): INodeTypes {
  return {
    getByName: () => nodeType,
    getByNameAndVersion: () => nodeType,
    getKnownTypes: () => ({ [nodeType.description.name]: { className: nodeType.description.name, sourcePath: '' } }),
  };
}
