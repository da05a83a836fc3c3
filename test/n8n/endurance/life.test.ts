import { setTimeout as sleep } from 'node:timers/promises';

import { TRIGGER } from '../../../n8n-runner/workflow.ts';
import { until, useTestInstance } from '../e2e/support/instance.ts';
import { type PollingOptions, databaseOf, pollingWorkflow, storing, untilPolled } from './support/storing.ts';

/** What users and time do to an active workflow. */
describe.each(Object.entries(storing))('with n8n storing as in "%s", an active workflow', (_way, env) => {
  const instance = useTestInstance({ seed: {}, env });

  it('delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones', async () => {
    const { activate, client, credential, emulator, n8n } = instance();
    const { workspace } = emulator;
    const database = databaseOf(n8n);
    const [first, second] = ['One form', 'Another form'].map((title) => {
      const { id } = workspace.addForm({ title });
      workspace.addSubmission(id);
      return id;
    });
    let options: PollingOptions = { credential, formId: first ?? '' };
    const { id } = await activate(pollingWorkflow(options));
    // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
    const untilStored = async () =>
      await until('the state is stored', () => database.stateText(id).includes(options.formId));
    await untilStored();

    const submitted: string[] = [];
    const submit = (count: number) => {
      for (let added = 0; added < count; added++) submitted.push(workspace.addSubmission(options.formId).id);
    };
    const publish = async (change: Partial<PollingOptions> = {}) => {
      options = { ...options, ...change };
      const { nodes, connections } = pollingWorkflow(options);
      await client.activate(await client.updateWorkflow(id, { nodes, connections }));
      await untilStored();
    };
    /** Everything submitted to the form while the workflow watched it is delivered once. */
    const check = async () => {
      const isDelivered = () => new Set(database.delivered(id)).size >= submitted.length;
      await until(`${submitted.length} are delivered`, isDelivered);
      await untilPolled(emulator, options.formId, 2);
      await sleep(1_000);
      expect(database.delivered(id).sort()).toEqual([...submitted].sort());
    };

    submit(2);
    await check();
    await client.deactivate(id);
    submit(3);
    await publish();
    await check();
    submit(1);
    await publish({ name: 'New answers' });
    submit(2);
    await check();
    await n8n.restart();
    submit(1);
    await publish({ name: TRIGGER });
    await check();
    await publish({ options: { answerNames: 'slug' } });
    await n8n.restart();
    submit(2);
    await check();
    await publish({ formId: second });
    submit(2);
    await check();
    await n8n.restart();
    await publish({ formId: first });
    submit(1);
    await check();
  });
});
