import { setTimeout as sleep } from 'node:timers/promises';

import { live } from '../../support/life.ts';
import { until, useTestInstance } from '../e2e/support/instance.ts';
import { type PollingOptions, databaseOf, pollingWorkflow, storing, untilPolled } from './support/storing.ts';

/** What users and time do to an active workflow. */
describe.each(Object.entries(storing))('with n8n storing as in "%s", an active workflow', (_way, env) => {
  const instance = useTestInstance({ seed: {}, env });

  function addForm(title: string): string {
    const { workspace } = instance().emulator;
    const { id } = workspace.addForm({ title });
    workspace.addSubmission(id);
    return id;
  }

  it('delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones', async () => {
    const { activate, client, credential, emulator, n8n } = instance();
    const database = databaseOf(n8n);
    const forms = { first: addForm('One form'), second: addForm('Another form') };
    let options: PollingOptions = { credential, formId: forms.first };
    const workflow = await activate(pollingWorkflow(options));
    const isStored = () => database.stateText(workflow.id).includes(options.formId);
    // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
    await until('the state is stored', isStored);
    await live({
      submit: (count) => Array.from({ length: count }, () => emulator.workspace.addSubmission(options.formId).id),
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
        await untilPolled(emulator, options.formId, 2);
        await sleep(1_000);
        return database.delivered(workflow.id);
      },
    });
  });
});
