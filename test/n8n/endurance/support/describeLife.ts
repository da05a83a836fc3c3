import { setTimeout as sleep } from 'node:timers/promises';

import { startTimeoutMs, until } from '../../e2e/support/instance.ts';
import { live } from '../../../support/life.ts';
import {
  type EnduranceInstance,
  type PollingOptions,
  type Storing,
  pollingWorkflow,
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

  function addForm(title: string): string {
    const { id } = instance.emulator.workspace.addForm({ title });
    instance.emulator.workspace.addSubmission(id);
    return id;
  }

  it('delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones', async () => {
    const { client, credential, database, n8n } = instance;
    const forms = { first: addForm('One form'), second: addForm('Another form') };
    let options: PollingOptions = { credential, formId: forms.first };
    const workflow = await instance.activate(pollingWorkflow(options));
    const isStored = () => database.stateText(workflow.id).includes(options.formId);
    // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
    await until('the state is stored', isStored);
    await live({
      submit: (count) =>
        Array.from({ length: count }, () => instance.emulator.workspace.addSubmission(options.formId).id),
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
}
