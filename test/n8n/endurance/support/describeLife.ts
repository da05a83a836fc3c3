import { setTimeout as sleep } from 'node:timers/promises';

import type { SubmissionInput } from '../../../../emulator/index.ts';
import type { Workflow } from '../../../../n8n-runner/client.ts';
import { chain, createNode } from '../../../../n8n-runner/workflow.ts';
import { startTimeoutMs, until } from '../../e2e/support/instance.ts';
import { live } from '../../../support/life.ts';
import { textLike } from '../../e2e/support/matchers.ts';
import {
  type EnduranceInstance,
  type PollingOptions,
  type Storing,
  pollingWorkflow,
  readsSubmissions,
  startEnduranceInstance,
  untilPolled,
} from './enduranceInstance.ts';

/** Defines the tests of what users and time do to an active workflow. */
export function describeLife(way: Storing): void {
  let instance: EnduranceInstance;
  beforeAll(async () => {
    instance = await startEnduranceInstance(way);
  }, startTimeoutMs);
  afterEach(async () => await instance.reset());
  afterAll(async () => await instance.stop());

  function addForm(title: string, ...past: SubmissionInput[]): string {
    const { id } = instance.emulator.workspace.addForm({ title });
    for (const submission of past) instance.emulator.workspace.addSubmission(id, submission);
    return id;
  }

  /** @returns the IDs */
  function submit(formId: string, count: number): string[] {
    return Array.from({ length: count }, () => instance.emulator.workspace.addSubmission(formId).id);
  }

  async function activate(options: Omit<PollingOptions, 'credential'>): Promise<Workflow> {
    return await instance.activate(pollingWorkflow({ credential: instance.credential, ...options }));
  }

  async function untilDelivered(workflow: Workflow, ids: string[]): Promise<void> {
    await until(`${ids.length} submissions are delivered`, () => {
      const found = new Set(instance.database.delivered(workflow.id));
      return ids.every((id) => found.has(id));
    });
  }

  /** Waits for the expected submissions, and two more polls for unexpected ones. */
  async function expectDelivered(workflow: Workflow, formId: string, expected: string[]): Promise<void> {
    await untilDelivered(workflow, expected);
    await untilPolled(instance.emulator, formId, 2);
    await sleep(1_000);
    expect(instance.database.delivered(workflow.id).sort()).toEqual([...expected].sort());
  }

  it('delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones', async () => {
    const { client, credential, database, n8n } = instance;
    const forms = { first: addForm('One form', {}, {}), second: addForm('Another form', {}) };
    let options: PollingOptions = { credential, formId: forms.first };
    const workflow = await activate(options);
    const isStored = () => database.stateText(workflow.id).includes(options.formId);
    // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
    await until('the state is stored', isStored);
    await live({
      submit: (count) => submit(options.formId, count),
      publish: async ({ formId, triggerName = options.triggerName, answerNames }) => {
        options = { ...options, triggerName, formId: formId ? forms[formId] : options.formId };
        const { nodes, connections } = pollingWorkflow({
          ...options,
          ...(answerNames && { options: { answerNames } }),
        });
        await client.activate(await client.updateWorkflow(workflow.id, { nodes, connections }));
        await until('the state is stored', isStored);
      },
      unpublish: async () => await client.deactivate(workflow.id),
      restart: async () => await n8n.restart(),
      deliver: async (count) => {
        await until(`${count} are delivered`, () => new Set(database.delivered(workflow.id)).size >= count);
        await untilPolled(instance.emulator, options.formId, 2);
        await sleep(1_000);
        return database.delivered(workflow.id);
      },
    });
  });

  it('shows a failed poll as a failed execution, starts the error workflow, and recovers', async () => {
    const { client, emulator } = instance;
    const errorTrigger = createNode('Error Trigger', 'n8n-nodes-base.errorTrigger');
    const errorWorkflow = await instance.activate(chain([errorTrigger]));
    const formId = addForm('Failing', {});
    const workflow = await activate({ formId, settings: { errorWorkflow: errorWorkflow.id } });
    await until('the first poll has ended', () => instance.database.stateText(workflow.id).includes(formId));
    emulator.fail({
      when: { match: (request) => readsSubmissions(formId, request) },
      // With durable cursors, n8n itself polls no more for half an hour after a 403.
      with: { status: 429, body: { error: 'Slow down, please' }, headers: { 'retry-after': '45' } },
    });
    const expected = submit(formId, 2);

    const find = async (id: string, wanted: string) =>
      (await client.listExecutions(id)).find(({ status }) => status === wanted)?.id ?? '';
    await until('the error workflow has run', async () => (await find(errorWorkflow.id, 'success')) !== '');
    const failed = await client.waitForExecution(await find(workflow.id, 'error'));
    expect(failed).toMatchObject({ mode: 'trigger', error: { message: textLike(/Slow down/) } });
    const alerted = await client.waitForExecution(await find(errorWorkflow.id, 'success'));
    expect(alerted.itemsOf('Error Trigger').map(({ json }) => json)).toMatchObject([
      { workflow: { id: workflow.id }, trigger: { error: { message: textLike(/Slow down/) } } },
    ]);
    await expectDelivered(workflow, formId, expected);
    expect((await client.listExecutions(workflow.id)).filter(({ status }) => status === 'error')).toHaveLength(1);
  });
}
