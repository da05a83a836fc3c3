import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../n8n-runner/client.ts';

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

/** A workflow that reads the forms with the NeetoForm node: all active ones, or the one with this ID. */
export function formsWorkflow(credential: Credential, id?: string): WorkflowDraft {
  const parameters: INodeParameters =
    id === undefined
      ? { operation: 'getAll', returnAll: true, simplify: false, filters: { status: 'active' } }
      : { operation: 'get', formId: { __rl: true, mode: 'id', value: id } };
  return chain('Forms of the workspace', [
    node(START, 'n8n-nodes-base.manualTrigger', 0, {}),
    node(FORMS, 'n8n-nodes-neetoform.neetoForm', 240, { resource: 'form', ...parameters }, credential),
  ]);
}

/** A workflow that starts for each new submission of the form, as a row. */
export function newSubmissionWorkflow(credential: Credential, form: WatchedForm): WorkflowDraft {
  const formId = { __rl: true, mode: 'list', value: form.id, cachedResultName: form.title };
  const parameters = { pollTimes: { item: [{ mode: 'everyMinute' }] }, formId, output: 'row', options: {} };
  const content = `## New submission\nThis workflow is active. It checks **${form.title}** for new submissions every minute.\n\n1. [Submit the form](${form.attemptUrl}).\n2. Within a minute an execution appears under **Executions**.\n3. Replace *Your Steps* with what should happen: a message, a row in a table, a contact.`;
  const { nodes, ...workflow } = chain(`New submission of ${form.title}`, [
    node(TRIGGER, 'n8n-nodes-neetoform.neetoFormTrigger', 0, parameters, credential),
    node('Your Steps', 'n8n-nodes-base.noOp', 240, {}),
  ]);
  const note = node('How to try it', 'n8n-nodes-base.stickyNote', -20, { content, height: 240, width: 480 });
  return { ...workflow, nodes: [...nodes, { ...note, position: [-20, -300] }] };
}

function chain(name: string, nodes: [INode, INode]): WorkflowDraft {
  const [first, second] = nodes;
  return {
    name,
    nodes,
    connections: { [first.name]: { main: [[{ node: second.name, type: 'main', index: 0 }]] } },
  };
}

function node(name: string, type: string, x: number, parameters: INodeParameters, credential?: Credential): INode {
  return {
    id: name,
    name,
    type,
    typeVersion: 1,
    position: [x, 0],
    parameters,
    ...(credential && { credentials: { neetoFormApi: credential } }),
  };
}
