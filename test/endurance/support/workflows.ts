import type { IDataObject, INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { chain, createNode, triggerWorkflow } from '../../e2e/support/workflows.ts';

export interface PollingOptions {
  name: string;
  credential: Credential;
  formId: string;
  triggerName?: string;
  /** The name of the node after the trigger. */
  nextName?: string;
  options?: IDataObject & INodeParameters;
  settings?: IWorkflowSettings;
  /** Seconds between two polls, a divisor of 60; by default 5. */
  everySeconds?: number;
}

export const triggerName = 'NeetoForm Trigger';
/** The trigger's ID in every workflow: it stays the same when the node is renamed. */
export const triggerId = triggerName;

/**
 * A workflow that new submissions start. A poll time in n8n is at least a minute, but a trigger can have many of them:
 * together they poll every few seconds.
 */
export function pollingWorkflow(workflow: PollingOptions): WorkflowDraft {
  const { name, credential, formId, everySeconds = 5, options = {}, settings = {} } = workflow;
  const item = Array.from({ length: 60 / everySeconds }, (_, index) => ({
    mode: 'custom',
    cronExpression: `${index * everySeconds} * * * * *`,
  }));
  const [trigger] = triggerWorkflow(credential, formId, { pollTimes: { item }, options }).nodes;
  if (trigger === undefined) throw new Error('The workflow has no trigger');
  const next = createNode(workflow.nextName ?? 'Next', 'n8n-nodes-base.noOp', {});
  return { ...chain([{ ...trigger, name: workflow.triggerName ?? triggerName }, next]), name, settings };
}

/** A workflow that starts when another one has failed. */
export function errorWorkflow(): WorkflowDraft {
  return { ...chain([createNode('Error Trigger', 'n8n-nodes-base.errorTrigger', {})]), name: 'Error workflow' };
}
