import { ExecuteContext, ExternalSecretsProxy, RoutingNode } from 'n8n-core';
import { createEmptyRunExecutionData } from 'n8n-workflow';
import type { IExecuteData, INode, INodeExecutionData, INodeType, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import { unavailable, type CredentialsInMemory } from './credentials';
import { record } from './log';
import { workflowOf } from './workflow';

/** What n8n's services give to a node. */
export function additionalDataWith(
  credentialsHelper: CredentialsInMemory,
  over: Partial<IWorkflowExecuteAdditionalData> = {},
): IWorkflowExecuteAdditionalData {
  return {
    credentialsHelper,
    externalSecretsProxy: new ExternalSecretsProxy(),
    executeWorkflow: unavailable,
    getRunExecutionData: unavailable,
    getRuntimeCredential: unavailable,
    startRunnerTask: unavailable,
    logAiEvent: () => undefined,
    executionId: '1',
    currentNodeExecutionIndex: 0,
    variables: {},
    restApiUrl: 'http://n8n.invalid/rest',
    instanceBaseUrl: 'http://n8n.invalid',
    formBaseUrl: 'http://n8n.invalid/form',
    formWaitingBaseUrl: 'http://n8n.invalid/form-waiting',
    formTestBaseUrl: 'http://n8n.invalid/form-test',
    webhookBaseUrl: 'http://n8n.invalid/webhook',
    webhookWaitingBaseUrl: 'http://n8n.invalid/webhook-waiting',
    webhookTestBaseUrl: 'http://n8n.invalid/webhook-test',
    mcpBaseUrl: 'http://n8n.invalid/mcp',
    mcpTestBaseUrl: 'http://n8n.invalid/mcp-test',
    ...over,
  };
}

/** How n8n executes a node. */
export interface ExecutionOptions {
  timezone?: string;
  signal?: AbortSignal;
  /** What n8n hands to a node: the same to each try of Retry On Fail, and to the tools of an agent that of the agent. Default: its own. */
  executeData?: IExecuteData;
}

interface Execution extends ExecutionOptions {
  type: INodeType;
  node: INode;
  credentialsHelper: CredentialsInMemory;
  items?: INodeExecutionData[];
}

/** Runs a node as n8n does in an execution: a declarative node by its routing, any other by its own function. */
export async function executeNode({
  type,
  node,
  credentialsHelper,
  items = [{ json: {} }],
  timezone = 'UTC',
  signal,
  executeData = { node, data: { main: [items] }, source: null },
}: Execution) {
  const workflow = workflowOf(type, [node], { settings: { timezone } });
  const { data } = executeData;
  const context = new ExecuteContext(
    workflow,
    node,
    additionalDataWith(credentialsHelper, { workflowId: workflow.id }),
    'trigger',
    createEmptyRunExecutionData(),
    0,
    items,
    data,
    executeData,
    [],
    signal,
  );
  record(context.logger);
  const { execute } = type;
  return await workflow.expression.withIsolate(async () =>
    execute ? await execute.call(context) : await new RoutingNode(context, type).runNode(),
  );
}
