import { setTimeout as sleep } from 'node:timers/promises';

import { n8nVersions } from '../../n8n-runner/versions.ts';

import { listWith, objectWith, textLike } from '../e2e/support/matchers.ts';
import { type TestInstance, credentialFor, startTimeoutMs, startTestInstance } from '../e2e/support/instance.ts';
import { actionWorkflow, startNode, submitForm, triggerWorkflow } from '../e2e/support/workflows.ts';

const answers = {
  'full-name[first_name]': 'Ada',
  'full-name[last_name]': 'Lovelace',
  'email-address': 'ada@example.org',
  'type-a-question': 'Sales',
  'type-a-question-2': 'Hello',
};

/** Longer than the minute between two polls. */
const deliveryTimeoutMs = 150_000;

// The titles are the rows and columns of the README's table.
describe.each(n8nVersions())('n8n $version', ({ folder }) => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance(undefined, folder);
  }, 2 * startTimeoutMs);
  afterEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + deliveryTimeoutMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > deadline)
        throw new Error(
          `There was no ${what} within ${deliveryTimeoutMs / 1000} seconds:\n\n${instance.n8n.log.tail()}`,
        );
      await sleep(500);
    }
  }

  it('tests a credential', async () => {
    expect(await instance.client.testCredential(instance.credential, credentialFor(instance.emulator))).toMatchObject({
      status: 'OK',
    });
    expect(
      await instance.client.testCredential(instance.credential, credentialFor(instance.emulator, { apiKey: 'wrong' })),
    ).toEqual({
      status: 'Error',
      // An n8n that loses the cause of an error (2.30 and older) cannot see our own message for this status.
      message: textLike(/API key|Authorization failed/),
    });
  });

  it('reads forms', async () => {
    const parameters = { resource: 'form', operation: 'getAll', returnAll: true, filters: {}, options: {} };
    const workflow = await instance.client.createWorkflow(actionWorkflow(instance.credential, parameters));
    const { status, itemsOf } = await instance.client.run(workflow.id, startNode);
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm').map(({ json }) => json['id'])).toEqual(
      listWith(...instance.emulator.workspace.forms.map(({ id }) => id)),
    );
  });

  it('asks again after a lost connection', async () => {
    instance.emulator.fail({ when: { path: /\/forms$/ }, with: { reset: true } });
    const parameters = { resource: 'form', operation: 'getAll', limit: 1, filters: {}, options: {} };
    const workflow = await instance.client.createWorkflow(actionWorkflow(instance.credential, parameters));
    const { status, itemsOf } = await instance.client.run(workflow.id, startNode);
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm')).toHaveLength(1);
    expect(instance.emulator.requests).toHaveLength(2);
  });

  it('creates a form', async () => {
    const parameters = {
      resource: 'form',
      operation: 'create',
      title: 'Made by n8n',
      createdByEmail: 'eve.martin@example.com',
    };
    const workflow = await instance.client.createWorkflow(actionWorkflow(instance.credential, parameters));
    const { status, itemsOf } = await instance.client.run(workflow.id, startNode);
    expect(status).toBe('success');
    const made = instance.emulator.workspace.forms.filter(({ title }) => title === 'Made by n8n');
    expect(made.map(({ id }) => id)).toEqual(itemsOf('NeetoForm').map(({ json }) => json['id']));
    expect(made).toHaveLength(1);
  });

  it(
    'starts a workflow on a new submission',
    async () => {
      const formId = instance.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
      const workflow = await instance.client.createWorkflow(triggerWorkflow(instance.credential, formId));
      await instance.client.activate(workflow);
      await until('first poll', () =>
        instance.emulator.requests.find(
          ({ path, query, status }) =>
            path.endsWith(`/${formId}/submissions`) && query['order'] === 'desc' && status === 200,
        ),
      );

      await submitForm(`${instance.emulator.url}/forms/${formId}/attempt`, answers);
      const { id } = await until('execution', async () => (await instance.client.listExecutions(workflow.id))[0]);
      const { status, mode, itemsOf } = await instance.client.waitForExecution(id);
      expect({ status, mode }).toEqual({ status: 'success', mode: 'trigger' });
      expect(itemsOf('Next').map(({ json }) => json['answers'])).toEqual([
        objectWith({ 'Email address': 'ada@example.org', Message: 'Hello' }),
      ]);
      await instance.client.deactivate(workflow.id);
    },
    2 * deliveryTimeoutMs,
  );
});
