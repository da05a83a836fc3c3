import { createEmptyRunExecutionData, NodeConnectionTypes } from 'n8n-workflow';
import type { INodeExecutionData, ITaskData, ITaskDataConnections } from 'n8n-workflow';

import { placeholderNode, placeholderType, workflowOf } from '../support/engine/workflow';

const TRIGGER = 'NeetoForm Trigger';
const NEXT = 'Next';

/**
 * Evaluates an expression with n8n's engine, in a node after the trigger.
 *
 * @param text the expression as the user types it, with its braces
 * @param item the item that the trigger returned
 */
export async function evaluate(text: string, item: INodeExecutionData, timezone = 'UTC'): Promise<unknown> {
  const next = placeholderNode(NEXT);
  const workflow = workflowOf(placeholderType(), [placeholderNode(TRIGGER), next], {
    connections: { [TRIGGER]: { main: [[{ node: NEXT, type: NodeConnectionTypes.Main, index: 0 }]] } },
    settings: { timezone },
  });
  const items: INodeExecutionData[] = [{ ...item, pairedItem: { item: 0 } }];
  const data: ITaskDataConnections = { main: [items] };
  const triggered: ITaskData = { startTime: 0, executionTime: 0, executionIndex: 0, source: [], data };
  const run = createEmptyRunExecutionData();
  run.resultData.runData = { [TRIGGER]: [triggered] };
  const executeData = { node: next, data, source: { main: [{ previousNode: TRIGGER }] } };
  return await workflow.expression.withIsolate(
    async () =>
      workflow.expression.getParameterValue(`=${text}`, run, 0, 0, NEXT, items, 'trigger', {}, executeData) as unknown,
  );
}
