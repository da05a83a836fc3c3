import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../../../n8n-runner/client.ts';

/** Where a workflow starts when it is run by hand. */
export const startNode = 'Start';

/** A workflow with one step: the NeetoForm node. */
export function actionWorkflow(credential: Credential, parameters: INodeParameters): WorkflowDraft {
  return chain([
    node('Start', 'n8n-nodes-base.manualTrigger', {}),
    node('NeetoForm', 'n8n-nodes-neetoform.neetoForm', parameters, credential),
  ]);
}

/** A workflow that is started by new submissions and hands them on. */
export function triggerWorkflow(credential: Credential, formId: string, over: INodeParameters = {}): WorkflowDraft {
  const parameters = {
    pollTimes: { item: [{ mode: 'everyMinute' }] },
    formId: byId(formId),
    output: 'simplified',
    options: {},
    ...over,
  };
  return chain([
    node('NeetoForm Trigger', 'n8n-nodes-neetoform.neetoFormTrigger', parameters, credential),
    node('Next', 'n8n-nodes-base.noOp', {}),
  ]);
}

/** The value of a resource locator in its id mode. */
export function byId(value: string): IDataObject & { __rl: true; mode: string; value: string } {
  return { __rl: true, mode: 'id', value };
}

function chain(nodes: INode[]): WorkflowDraft {
  const pairs = nodes.slice(1).map((next, index) => [nodes[index]?.name ?? '', next.name] as const);
  const connections = Object.fromEntries(
    pairs.map(([from, to]) => [from, { main: [[{ node: to, type: 'main' as const, index: 0 }]] }]),
  );
  return { name: 'Test', nodes, connections };
}

function node(name: string, type: string, parameters: INodeParameters, credential?: Credential): INode {
  return {
    id: name,
    name,
    type,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    ...(credential && { credentials: { neetoFormApi: { id: credential.id, name: credential.name } } }),
  };
}
