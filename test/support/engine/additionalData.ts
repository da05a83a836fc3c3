import { ExternalSecretsProxy } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import { unavailable, type CredentialsInMemory } from './credentials';

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
