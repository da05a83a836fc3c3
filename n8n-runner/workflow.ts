import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from './client.ts';

export const START = 'Start';
export const TRIGGER = 'NeetoForm Trigger';

/** A node whose ID is its name. */
export function createNode(name: string, type: string, parameters: INodeParameters = {}, typeVersion = 1): INode {
  return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

/** The node from which a workflow is run by hand. */
export function startNode(): INode {
  return createNode(START, 'n8n-nodes-base.manualTrigger');
}

/** A node that returns what it gets. */
export function nextNode(name = 'Next'): INode {
  return createNode(name, 'n8n-nodes-base.noOp');
}

/** This package's node, to run an operation. */
export function neetoFormNode(neetoFormApi: Credential, parameters: INodeParameters): INode {
  return { ...createNode('NeetoForm', 'n8n-nodes-neetoform.neetoForm', parameters), credentials: { neetoFormApi } };
}

/** This package's trigger, which polls every minute. Its ID stays the same when it is renamed. */
export function neetoFormTrigger(neetoFormApi: Credential, parameters: INodeParameters): INode {
  const pollTimes = { item: [{ mode: 'everyMinute' }] };
  const node = createNode(TRIGGER, 'n8n-nodes-neetoform.neetoFormTrigger', { pollTimes, options: {}, ...parameters });
  return { ...node, credentials: { neetoFormApi } };
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
