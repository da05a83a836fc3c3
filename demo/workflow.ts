import type { Credential, WorkflowDraft } from '../n8n-runner/client.ts';
import { chain, createNode, neetoFormTrigger, nextNode } from '../n8n-runner/workflow.ts';

/** A workflow that starts for each new submission in the whole workspace, as a row. */
export function newSubmissionWorkflow(credential: Credential): WorkflowDraft {
  const trigger = neetoFormTrigger(credential, { triggerOn: 'allActive', output: 'row' });
  const { nodes, ...workflow } = chain([trigger, nextNode('Your Steps')], 'New submission');
  const content = `## New submission
This workflow is published. It checks the whole workspace for new submissions every minute.

1. Submit a form. The terminal shows where.
2. Within a minute an execution appears under **Executions**.
3. Replace *Your Steps* with what should happen: a message, a row in a table, a contact.`;
  const note = createNode('How to try it', 'n8n-nodes-base.stickyNote', { content, height: 240, width: 480 });
  return { ...workflow, nodes: [...nodes, { ...note, position: [-20, -300] }] };
}
