import { ExternalSecretsProxy } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import type { CredentialsInMemory } from './credentials';

/** What n8n's services give to a node. What no node under test uses is missing. */
export function additionalDataWith(
  credentialsHelper: CredentialsInMemory,
  over: Partial<IWorkflowExecuteAdditionalData> = {},
): IWorkflowExecuteAdditionalData {
  return {
    credentialsHelper,
    externalSecretsProxy: new ExternalSecretsProxy(),
    executionId: '1',
    currentNodeExecutionIndex: 0,
    variables: {},
    formWaitingBaseUrl: 'http://n8n.invalid/form-waiting',
    webhookWaitingBaseUrl: 'http://n8n.invalid/webhook-waiting',
    ...over,
  } as IWorkflowExecuteAdditionalData;
}
