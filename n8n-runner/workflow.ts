import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowDraft } from './client.ts';

/** A node whose ID is its name. */
export function createNode(name: string, type: string, parameters: INodeParameters, typeVersion = 1): INode {
  return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

/** A workflow of nodes that run one after the other, drawn from left to right. */
export function chain(nodes: INode[], name = 'Test'): WorkflowDraft {
  const links = nodes
    .slice(1)
    .map((next, index): [string, WorkflowDraft['connections'][string]] => [
      nodes[index]?.name ?? '',
      { main: [[{ node: next.name, type: 'main', index: 0 }]] },
    ]);
  const placed = nodes.map((node, index): INode => ({ ...node, position: [index * 240, 0] }));
  return { name, nodes: placed, connections: Object.fromEntries(links) };
}
