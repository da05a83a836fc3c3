import type { IDataObject, INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../../../n8n-runner/client.ts';

export interface PollingOptions {
  name: string;
  credential: Credential;
  formId: string;
  /** What the trigger node is called. */
  triggerName?: string;
  /** What the node after it is called. */
  nextName?: string;
  options?: IDataObject & INodeParameters;
  settings?: IWorkflowSettings;
  /** Seconds between two polls, a divisor of 60. */
  everySeconds?: number;
}

/** The trigger's id in every workflow: it stays when the node is renamed. */
export const triggerId = 'the-trigger';
export const triggerName = 'NeetoForm Trigger';

/**
 * A workflow that hands on new submissions. n8n takes no poll time of less than a minute, but any number of poll times: that makes it
 * poll every few seconds.
 */
export function pollingWorkflow(of: PollingOptions): WorkflowDraft {
  const { name, credential, formId, everySeconds = 5, options = {}, settings = {} } = of;
  const item = Array.from({ length: 60 / everySeconds }, (_, index) => ({
    mode: 'custom',
    cronExpression: `${index * everySeconds} * * * * *`,
  }));
  const trigger: INode = {
    id: triggerId,
    name: of.triggerName ?? triggerName,
    type: 'n8n-nodes-neetoform.neetoFormTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: {
      pollTimes: { item },
      formId: { __rl: true, mode: 'id', value: formId },
      output: 'simplified',
      options,
    },
    credentials: { neetoFormApi: { id: credential.id, name: credential.name } },
  };
  const next: INode = {
    id: 'next',
    name: of.nextName ?? 'Next',
    type: 'n8n-nodes-base.noOp',
    typeVersion: 1,
    position: [200, 0],
    parameters: {},
  };
  return {
    name,
    nodes: [trigger, next],
    connections: { [trigger.name]: { main: [[{ node: next.name, type: 'main', index: 0 }]] } },
    settings,
  };
}

/** A workflow that is started when another one has failed. */
export function errorWorkflow(): WorkflowDraft {
  const trigger: INode = {
    id: 'error',
    name: 'Error Trigger',
    type: 'n8n-nodes-base.errorTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  return { name: 'When a workflow has failed', nodes: [trigger], connections: {} };
}
