import type { Credential, WorkflowDraft } from '../n8n-runner/client.ts';
import { chain, createNode } from '../n8n-runner/workflow.ts';

/** The form that the demo's workflow watches. */
export interface WatchedForm {
  id: string;
  title: string;
  /** Where the form is filled in. */
  attemptUrl: string;
}

/** The manual trigger of {@link formsWorkflow}. */
export const START = 'Start';
/** The node whose items are the forms. */
export const FORMS = 'Forms';
/** The node whose items are the new submissions. */
export const TRIGGER = 'NeetoForm Trigger';

/** A workflow that reads the forms with the NeetoForm node: the active ones, or all. */
export function formsWorkflow(credential: Credential, status?: 'active'): WorkflowDraft {
  const options = { returnAll: true, simple: false, filters: status === undefined ? {} : { status } };
  const parameters = { resource: 'form', operation: 'getAll', ...options };
  const forms = createNode(FORMS, 'n8n-nodes-neetoform.neetoForm', parameters);
  const nodes = [
    createNode(START, 'n8n-nodes-base.manualTrigger', {}),
    { ...forms, credentials: { neetoFormApi: credential } },
  ];
  return chain(nodes, 'Forms of the workspace');
}

/** A workflow that starts for each new submission of the form, as a row. */
export function newSubmissionWorkflow(credential: Credential, form: WatchedForm): WorkflowDraft {
  const formId = { __rl: true, mode: 'list', value: form.id, cachedResultName: form.title };
  const parameters = { pollTimes: { item: [{ mode: 'everyMinute' }] }, formId, output: 'row', options: {} };
  const trigger = createNode(TRIGGER, 'n8n-nodes-neetoform.neetoFormTrigger', parameters);
  const content = `## New submission\nThis workflow is active. It checks **${form.title}** for new submissions every minute.\n\n1. [Submit the form](${form.attemptUrl}).\n2. Within a minute an execution appears under **Executions**.\n3. Replace *Your Steps* with what should happen: a message, a row in a table, a contact.`;
  const note = createNode('How to try it', 'n8n-nodes-base.stickyNote', { content, height: 240, width: 480 });
  const { nodes, ...workflow } = chain(
    [{ ...trigger, credentials: { neetoFormApi: credential } }, createNode('Your Steps', 'n8n-nodes-base.noOp', {})],
    `New submission of ${form.title}`,
  );
  return { ...workflow, nodes: [...nodes, { ...note, position: [-20, -300] }] };
}
