import { setTimeout as sleep } from 'node:timers/promises';

import { live } from '../../support/life.ts';
import { until, useTestInstance } from '../e2e/support/instance.ts';
import { type PollingOptions, databaseOf, pollingWorkflow, storing, untilPolled } from './support/storing.ts';

describe.each(Object.entries(storing))('with n8n storing as in "%s", an active workflow', (_way, env) => {
  const instance = useTestInstance({ seed: {}, env });

  it('delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones', async () => {
    const { activate, client, credential, emulator, n8n } = instance();
    const { workspace } = emulator;
    const database = databaseOf(n8n);
    const [first = '', second = ''] = ['One form', 'Another form'].map((title) => workspace.addForm({ title }).id);
    for (const formId of [first, second]) workspace.addSubmission(formId);
    let options: PollingOptions = { credential, formId: first };
    const { id } = await activate(pollingWorkflow(options));
    // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
    const untilStored = async () =>
      await until('the state is stored', () => database.stateText(id).includes(options.formId));
    await untilStored();
    await live({
      submit: (count) => Array.from({ length: count }, () => workspace.addSubmission(options.formId).id),
      publish: async ({ formId, answerNames, ...edit }) => {
        if (formId) options = { ...options, formId: formId === 'first' ? first : second };
        options = { ...options, ...edit, ...(answerNames && { options: { answerNames } }) };
        const { nodes, connections } = pollingWorkflow(options);
        await client.activate(await client.updateWorkflow(id, { nodes, connections }));
        await untilStored();
      },
      unpublish: async () => await client.deactivate(id),
      restart: async () => await n8n.restart(),
      deliver: async (count) => {
        await until(`${count} are delivered`, () => new Set(database.delivered(id)).size >= count);
        await untilPolled(emulator, options.formId, 2);
        await sleep(1_000);
        return database.delivered(id);
      },
    });
  });
});
