import { DirectoryLoader } from 'n8n-core';
import type { INodeType, INodeTypes } from 'n8n-workflow';

/** The type as n8n's loader registers it: declarative nodes get `requestOptions`. The original stays untouched. */
export function registered(nodeType: INodeType): INodeType {
  const copy: INodeType = {
    description: { ...nodeType.description, properties: [...nodeType.description.properties] },
    methods: nodeType.methods,
    poll: nodeType.poll,
    execute: nodeType.execute,
  };
  DirectoryLoader.applyDeclarativeNodeOptionParameters(copy);
  return copy;
}

export function onlyType(nodeType: INodeType): INodeTypes {
  return {
    getByName: () => nodeType,
    getByNameAndVersion: () => nodeType,
    getKnownTypes: () => ({ [nodeType.description.name]: { className: nodeType.description.name, sourcePath: '' } }),
  };
}

export function newestVersion(nodeType: INodeType): number {
  const { version, defaultVersion } = nodeType.description;
  return defaultVersion ?? (Array.isArray(version) ? Math.max(...version) : version);
}
