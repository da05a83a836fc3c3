import { ExternalSecretsProxy } from 'n8n-core';
import { UnexpectedError } from 'n8n-workflow';
import type { INodeParameters, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import type { CredentialsInMemory } from './credentials';

const outOfReach = (what: string) => () =>
  Promise.reject(new UnexpectedError(`${what} is out of a node's reach in these tests`));

export function additionalDataWith(
  credentialsHelper: CredentialsInMemory,
  over: { workflowId?: string; currentNodeParameters?: INodeParameters } = {},
): IWorkflowExecuteAdditionalData {
  return {
    credentialsHelper,
    externalSecretsProxy: new ExternalSecretsProxy(),
    executeWorkflow: outOfReach('Another workflow'),
    getRunExecutionData: outOfReach('Another execution'),
    getRuntimeCredential: outOfReach('A runtime credential'),
    startRunnerTask: outOfReach('A task runner'),
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
