import { createEmptyRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import type { INode, INodeExecutionData, INodeType, ITaskData, ITaskDataConnections } from 'n8n-workflow';

import { onlyType } from '../support/engine/nodeTypes';

const TRIGGER = 'NeetoForm Trigger';
const NEXT = 'Next';

const anyNode: INodeType = {
  description: {
    displayName: 'Any',
    name: 'any',
    group: ['transform'],
    version: 1,
    description: 'Does nothing',
    defaults: {},
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    properties: [],
  },
};

const nodeNamed = (name: string, x: number): INode => ({
  id: name,
  name,
  type: 'any',
  typeVersion: 1,
  position: [x, 0],
  parameters: {},
});

/**
 * Evaluates an expression with n8n's engine, in a node after the trigger.
 *
 * @param text the expression as the user types it, with its braces
 * @param item the item that the trigger returned
 */
export async function evaluate(text: string, item: INodeExecutionData, timezone = 'UTC'): Promise<unknown> {
  const workflow = new Workflow({
    nodes: [nodeNamed(TRIGGER, 0), nodeNamed(NEXT, 200)],
    connections: { [TRIGGER]: { main: [[{ node: NEXT, type: NodeConnectionTypes.Main, index: 0 }]] } },
    active: false,
    nodeTypes: onlyType(anyNode),
    settings: { timezone },
  });
  const items: INodeExecutionData[] = [{ ...item, pairedItem: { item: 0 } }];
  const data: ITaskDataConnections = { main: [items] };
  const triggered: ITaskData = { startTime: 0, executionTime: 0, executionIndex: 0, source: [], data };
  const run = createEmptyRunExecutionData();
  run.resultData.runData = { [TRIGGER]: [triggered] };
  const executeData = { node: nodeNamed(NEXT, 200), data, source: { main: [{ previousNode: TRIGGER }] } };
  return await workflow.expression.withIsolate(
    async () =>
      workflow.expression.getParameterValue(`=${text}`, run, 0, 0, NEXT, items, 'trigger', {}, executeData) as unknown,
  );
}
