import type { INode } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../n8n-runner/client.ts';

/** A form as the NeetoForm node gives it. */
export interface WatchedForm {
  id: string;
  title: string;
  attemptUrl: string;
}

/** Where a workflow starts when it is run by hand. */
export const startNode = 'When clicking Execute workflow';
/** The node whose items the demo shows. */
export const sentenceNode = 'Readable Sentence';
/** The node that lists the forms. */
export const formsNode = 'Forms of the Workspace';

/** A workflow that reads the forms, one item per form; with an id, that form only. */
export function listFormsWorkflow(credential: Credential, formId?: string): WorkflowDraft {
  const parameters: INode['parameters'] = formId
    ? { resource: 'form', operation: 'get', formId: { __rl: true, mode: 'id', value: formId } }
    : { resource: 'form', operation: 'getAll', returnAll: true, filters: { status: 'active' }, options: {} };
  return {
    name: 'Forms of the workspace',
    nodes: [
      node({ name: startNode, type: 'n8n-nodes-base.manualTrigger', position: [0, 0] }),
      node({
        name: formsNode,
        type: 'n8n-nodes-neetoform.neetoForm',
        position: [240, 0],
        parameters,
        credentials: { neetoFormApi: credential },
      }),
    ],
    connections: { [startNode]: { main: [[{ node: formsNode, type: 'main', index: 0 }]] } },
  };
}

/** A workflow that turns each new submission of the form into a sentence. */
export function newSubmissionWorkflow(credential: Credential, form: WatchedForm): WorkflowDraft {
  const trigger = 'NeetoForm Trigger';
  return {
    name: `New submission of ${form.title}`,
    nodes: [
      node({
        name: trigger,
        type: 'n8n-nodes-neetoform.neetoFormTrigger',
        position: [0, 0],
        parameters: {
          pollTimes: { item: [{ mode: 'everyMinute' }] },
          formId: { __rl: true, mode: 'id', value: form.id },
          output: 'simplified',
          options: {},
        },
        credentials: { neetoFormApi: credential },
      }),
      node({
        name: sentenceNode,
        type: 'n8n-nodes-base.set',
        typeVersion: 3.4,
        position: [240, 0],
        parameters: {
          mode: 'manual',
          assignments: {
            assignments: [
              { id: 'sentence', name: 'sentence', type: 'string', value: sentence },
              { id: 'submitted', name: 'submitted', type: 'string', value: '={{ $json.created_at }}' },
              { id: 'submission', name: 'submission', type: 'string', value: '={{ $json.id }}' },
            ],
          },
          options: {},
        },
      }),
      node({
        name: 'How to try it',
        type: 'n8n-nodes-base.stickyNote',
        position: [-20, -300],
        parameters: { content: note(form), height: 240, width: 480 },
      }),
    ],
    connections: { [trigger]: { main: [[{ node: sentenceNode, type: 'main', index: 0 }]] } },
  };
}

const sentence = `=Somebody answered. {{ Object.entries($json.answers).map(([question, answer]) => question + ': ' + [answer].flat().map((part) => part && typeof part === 'object' ? Object.values(part).join(' ') : part).join(', ')).join('; ') }}`;

function note({ title, attemptUrl }: WatchedForm): string {
  return `## New submission → a sentence
This workflow is active: once a minute it asks for new submissions of **${title}**.

1. [Fill in the form](${attemptUrl}).
2. Within a minute an execution appears under **Executions**.
3. Replace *${sentenceNode}* with what should happen: a message, a row, a contact.`;
}

function node(given: Pick<INode, 'name' | 'type' | 'position'> & Partial<INode>): INode {
  return { id: given.name, typeVersion: 1, parameters: {}, ...given };
}
