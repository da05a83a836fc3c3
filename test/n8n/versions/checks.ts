import type { Emulator } from '../../../emulator/index.ts';
import type { Credential, N8nClient, Workflow, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { START } from '../../../n8n-runner/workflow.ts';
import { credentialFor, until, waitForExecutions } from '../e2e/support/instance.ts';
import { textLike } from '../e2e/support/matchers.ts';
import { actionWorkflow, byId, contactAnswers, submitForm, triggerWorkflow } from '../e2e/support/workflows.ts';

/** An n8n instance with the package, and the emulator that its credential leads to. */
export interface Connection {
  client: N8nClient;
  emulator: Emulator;
  credential: Credential;
}

/**
 * Defines the tests whose titles are the columns of the compatibility table. They delete the workflows that they create.
 *
 * @param connection returns what the tests use; called when they run
 */
export function describeChecks(connection: () => Connection): void {
  const created: string[] = [];
  const createWorkflow = async (draft: WorkflowDraft): Promise<Workflow> => {
    const workflow = await connection().client.createWorkflow(draft);
    created.push(workflow.id);
    return workflow;
  };
  const runAction = async (parameters: Parameters<typeof actionWorkflow>[1]) => {
    const { client, credential } = connection();
    const workflow = await createWorkflow(actionWorkflow(credential, parameters));
    return await client.run(workflow.id, START);
  };
  afterEach(async () => {
    connection().emulator.reset();
    for (const id of created.splice(0)) await connection().client.deleteWorkflow(id);
  });

  it('tests a credential', async () => {
    const { client, credential, emulator } = connection();
    expect(await client.testCredential(credential, credentialFor(emulator))).toMatchObject({ status: 'OK' });
    expect(await client.testCredential(credential, credentialFor(emulator, { apiKey: 'wrong' }))).toEqual({
      status: 'Error',
      // n8n 2.30 and older lose the cause of an error, and with it the status that our own message depends on.
      message: textLike(/API key|Authorization failed/),
    });
  });

  it('reads forms', async () => {
    const { status, itemsOf } = await runAction({ resource: 'form', operation: 'getAll', returnAll: true });
    expect(status).toBe('success');
    const found = new Set(itemsOf('NeetoForm').map(({ json }) => json['id']));
    expect(connection().emulator.workspace.forms.filter(({ id }) => !found.has(id))).toEqual([]);
  });

  it('retries after a lost connection', async () => {
    const { emulator } = connection();
    emulator.fail({ when: { path: /\/forms$/ }, with: { reset: true } });
    const { status, itemsOf } = await runAction({ resource: 'form', operation: 'getAll', limit: 1, filters: {} });
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm')).toHaveLength(1);
    expect(emulator.requests).toHaveLength(2);
  });

  it('creates a form', async () => {
    const title = 'Created by n8n';
    const { status, itemsOf } = await runAction({ resource: 'form', operation: 'create', title });
    expect(status).toBe('success');
    const created = connection().emulator.workspace.forms.filter((form) => form.title === title);
    expect(created).toHaveLength(1);
    expect(itemsOf('NeetoForm').map(({ json }) => json['id'])).toEqual(created.map(({ id }) => id));
  });

  it('starts a workflow on a new submission', async () => {
    const { client, credential, emulator } = connection();
    const formId = emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
    const workflow = await createWorkflow(triggerWorkflow(credential, { formId: byId(formId) }));
    await client.activate(workflow);
    const isPoll = ({ path, status }: Emulator['requests'][number]) =>
      path.endsWith(`/${formId}/submissions`) && status === 200;
    await until('the first poll', () => emulator.requests.some(isPoll));
    await submitForm(`${emulator.url}/forms/${formId}/attempt`, contactAnswers);
    const [execution] = await waitForExecutions(client, workflow.id, ({ length }) => length > 0);
    expect(execution).toMatchObject({ status: 'success', mode: 'trigger' });
    expect(execution?.itemsOf('Next').map(({ json }) => json['answers'])).toMatchObject([
      { 'Email address': contactAnswers['email-address'] },
    ]);
    await client.deactivate(workflow.id);
  }, 400_000);
}
