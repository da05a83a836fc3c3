import type { N8nClient, Workflow } from '../n8n-runner/client.ts';
import type { ExecutionItem } from '../n8n-runner/execution.ts';
import type { Service } from './service.ts';
import { type WatchedForm, formsNode, listFormsWorkflow, newSubmissionWorkflow, startNode } from './workflows.ts';

/** What the demo has set up: an active workflow that watches a form. */
export interface Scene {
  form: WatchedForm;
  workflow: Workflow;
}

/** Creates the credential, picks the form with the NeetoForm node and activates the workflow. */
export async function setScene(client: N8nClient, service: Service): Promise<Scene> {
  const draft = { name: 'NeetoForm account', type: 'neetoFormApi', data: service.credential };
  const credential = await client.createCredential(draft);
  const test = await client.testCredential(credential, draft);
  if (test.status !== 'OK') throw new Error(`The credential was refused by ${service.name}: ${test.message}`);

  const list = await client.createWorkflow(listFormsWorkflow(credential, service.form.id));
  const { error, itemsOf } = await client.run(list.id, startNode);
  if (error) throw new Error(`The forms could not be read: ${error.message}. ${error.description ?? ''}`.trim());
  const form = pickForm(itemsOf(formsNode), service.form.title);

  const workflow = await client.createWorkflow(newSubmissionWorkflow(credential, form));
  return { form, workflow: await client.activate(workflow) };
}

function pickForm(items: ExecutionItem[], title: string | undefined): WatchedForm {
  const open = items.filter(
    ({ json }) => json['is_published'] !== false && json['is_disabled'] !== true && json['is_suspended'] !== true,
  );
  const picked = open.find(({ json }) => title === undefined || json['title'] === title)?.json;
  if (picked === undefined)
    throw new Error(
      'The workspace has no form that takes submissions. Publish one, or name another one with NEETOFORM_FORM_ID.',
    );
  return { id: String(picked['id']), title: String(picked['title']), attemptUrl: String(picked['attempt_url']) };
}
